// The values of secrets are shown when they are asked for, one object at a time.

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const HIDDEN = "•••••";

export const isSecret = (kind) => kind.group === "" && kind.resource === "secrets";

/** A copy without the values. */
export function hide(secret) {
  const hidden = { ...secret, metadata: { ...secret.metadata } };
  for (const part of ["data", "stringData"]) if (secret[part]) hidden[part] = cover(secret[part]);
  if (secret.metadata.annotations?.[LAST_APPLIED]) {
    hidden.metadata.annotations = { ...secret.metadata.annotations, [LAST_APPLIED]: HIDDEN };
  }
  return hidden;
}

const cover = (values) => Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]));

/** The same of a change, as changes.js tells it. */
export function hideChange([place, how]) {
  const isValue = /^(data|stringData)(\.|$)/.test(place) || place.startsWith("metadata.annotations");
  return [place, isValue ? `${HIDDEN} changed` : how];
}
