// Which kinds there are: the two documents of aggregated discovery.

import { get } from "./api.js";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Kinds that can be listed and watched, each in its group's first version that has it. */
export async function findKinds(signal) {
  const documents = await Promise.all(["/api", "/apis"].map((path) => get(path, { accept: AGGREGATED, signal })));
  const kinds = [];
  for (const group of documents.flatMap((each) => each.items ?? [])) {
    const name = group.metadata?.name ?? "";
    const seen = new Set();
    for (const { version, resources = [] } of group.versions ?? []) {
      for (const each of resources) {
        if (seen.has(each.resource) || !["list", "watch"].every((verb) => each.verbs?.includes(verb))) continue;
        seen.add(each.resource);
        kinds.push(describe(name, version, each));
      }
    }
  }
  return kinds.sort(compare);
}

function describe(group, version, each) {
  return {
    id: `${group || "core"}/${version}/${each.resource}`,
    root: group ? `/apis/${group}/${version}` : `/api/${version}`,
    group, version, resource: each.resource,
    kind: each.responseKind?.kind ?? each.resource,
    isNamespaced: each.scope === "Namespaced",
    isCustom: group.includes(".") && !group.endsWith(".k8s.io"),
    names: [each.resource, each.singularResource ?? "", ...(each.shortNames ?? [])],
  };
}

/** Those of definitions first, then what everybody uses, then the rest. */
const ORDER = ["", "apps", "batch"];
function compare(one, other) {
  const place = (kind) => (kind.isCustom ? -1 : ORDER.includes(kind.group) ? ORDER.indexOf(kind.group) : ORDER.length);
  return place(one) - place(other) || one.group.localeCompare(other.group) || one.kind.localeCompare(other.kind);
}

export function pathOf(kind, namespace, name) {
  const place = kind.isNamespaced ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${kind.root}${place}/${kind.resource}/${encodeURIComponent(name)}`;
}
