// Numbers and times as people read them.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit && value < 100 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

export const count = (value) => Math.round(value).toLocaleString("en");

export function rate(value) {
  return value >= 100 ? count(value) : value >= 10 ? value.toFixed(1) : value.toFixed(value && value < 1 ? 2 : 1);
}

export function seconds(value) {
  if (value < 0.001) return `${Math.round(value * 1e6)} µs`;
  const [number, unit] = value < 1 ? [value * 1000, "ms"] : [value, "s"];
  return `${Number(number.toFixed(number < 10 ? 1 : 0))} ${unit}`;
}

/** As kubectl shows ages. */
export function duration(value) {
  const whole = Math.max(0, Math.floor(value));
  if (whole < 120) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return whole % 60 ? `${minutes}m${whole % 60}s` : `${minutes}m`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

let ahead = 0; // of this browser's clock, in milliseconds

/** The server's time, in seconds: by it objects have their ages. */
export function setNow(seconds) {
  ahead = seconds * 1000 - Date.now();
}

export const age = (time) => (time ? duration((Date.now() + ahead - Date.parse(time)) / 1000) : "");

/** The time of day where it is today's. */
export function clock(time) {
  if (!time) return "";
  const then = new Date(time);
  const isToday = then.toDateString() === new Date().toDateString();
  const two = (number) => String(number).padStart(2, "0");
  const day = isToday ? "" : `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} `;
  return `${day}${two(then.getHours())}:${two(then.getMinutes())}:${two(then.getSeconds())}`;
}

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
