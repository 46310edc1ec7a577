// The token, and where the page is. The token comes in the address's fragment, is taken off it at once, and is kept for
// this tab alone. What is shown stands in the fragment, so that the browser's back and forward work.

const KEY = "quarterdeck-token";

/** Takes a token off the fragment; whether there was one. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return false;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
  return true;
}

export const token = () => sessionStorage.getItem(KEY) ?? "";

export const route = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

export function go(changes, { replace = false } = {}) {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...route(), ...changes })) if (value) next.set(name, value);
  const address = `#${next}`;
  if (address === location.hash) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
