// SPDX-License-Identifier: Apache-2.0
// Shows a page of the documentation that a browser has opened from the disk. There docc's own pages stay empty: they
// fetch what they show, which browsers allow from servers only. `Scripts/docs` puts what docc has written for a page
// into the file `content.js` beside it.

/** The text of a page as HTML; `root` leads from the page to the site. */
function render(page, root) {
  const escape = (text) =>
    String(text ?? "").replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  const references = page.references ?? {};
  const address = (url) => {
    if (!url.startsWith("/")) return url;
    const [path, fragment] = url.slice(1).split("#");
    return root + path.replace(/\/?$/, "/index.html") + (fragment ? "#" + fragment : "");
  };
  const link = (identifier, text) => {
    const target = references[identifier];
    if (!target?.url) return text ?? escape(target?.title ?? identifier);
    return `<a href="${escape(address(target.url))}">${text ?? escape(target.title)}</a>`;
  };
  const inline = (parts) => (parts ?? []).map((part) => {
    switch (part.type) {
      case "text": return escape(part.text);
      case "codeVoice": return `<code>${escape(part.code)}</code>`;
      case "emphasis": return `<em>${inline(part.inlineContent)}</em>`;
      case "strong": return `<strong>${inline(part.inlineContent)}</strong>`;
      case "reference":
        return link(part.identifier, part.overridingTitle ? inline(part.overridingTitleInlineContent) : undefined);
      case "link": return `<a href="${escape(part.destination)}">${escape(part.title)}</a>`;
      default: return inline(part.inlineContent) || escape(part.text);
    }
  }).join("");
  const items = (list) => list.map((item) => `<li>${blocks(item.content)}</li>`).join("");
  const row = (cells, tag) => `<tr>${cells.map((cell) => `<${tag}>${blocks(cell)}</${tag}>`).join("")}</tr>`;
  const blocks = (parts) => (parts ?? []).map((part) => {
    switch (part.type) {
      case "heading": return `<h${part.level} id="${escape(part.anchor)}">${escape(part.text)}</h${part.level}>`;
      case "paragraph": return `<p>${inline(part.inlineContent)}</p>`;
      case "codeListing": return `<pre><code>${escape(part.code.join("\n"))}</code></pre>`;
      case "unorderedList": return `<ul>${items(part.items)}</ul>`;
      case "orderedList": return `<ol>${items(part.items)}</ol>`;
      case "termList":
        return `<dl>${part.items.map((item) =>
          `<dt>${inline(item.term.inlineContent)}</dt><dd>${blocks(item.definition.content)}</dd>`).join("")}</dl>`;
      case "aside": return `<blockquote><strong>${escape(part.name ?? part.style)}</strong>${blocks(part.content)}</blockquote>`;
      case "table":
        return `<table>${part.rows.map((cells, place) => row(cells, place ? "td" : "th")).join("")}</table>`;
      default: return blocks(part.content) || inline(part.inlineContent);
    }
  }).join("");
  const tokens = (list) => list.map((token) =>
    token.identifier ? link(token.identifier, escape(token.text)) : escape(token.text)).join("");
  const section = (part) => {
    switch (part.kind) {
      case "declarations":
        return part.declarations.map((one) => `<pre><code>${tokens(one.tokens)}</code></pre>`).join("");
      case "parameters":
        return `<h2>Parameters</h2><dl>${part.parameters.map((one) =>
          `<dt><code>${escape(one.name)}</code></dt><dd>${blocks(one.content)}</dd>`).join("")}</dl>`;
      default: return blocks(part.content);
    }
  };
  const topics = (name, sections) => !sections?.length ? "" : `<h2>${name}</h2>` + sections.map((part) =>
    (part.title ? `<h3>${escape(part.title)}</h3>` : "") + `<ul>${part.identifiers.map((identifier) =>
      `<li>${link(identifier)} ${inline(references[identifier]?.abstract)}</li>`).join("")}</ul>`).join("");
  const path = (page.hierarchy?.paths?.[0] ?? []).map((identifier) => link(identifier)).join(" / ");
  return `<nav><a href="${root}documentation/index.html">Documentation</a> ${path && "/ " + path}</nav>`
    + `<h1>${escape(page.metadata?.title)}</h1><p>${inline(page.abstract)}</p>`
    + (page.primaryContentSections ?? []).map(section).join("") + topics("Topics", page.topicSections)
    + topics("Relationships", page.relationshipsSections) + topics("See also", page.seeAlsoSections);
}

if (typeof document === "undefined") {
  module.exports = render;
} else if (location.protocol === "file:") {
  const root = document.currentScript.dataset.root;
  const content = document.createElement("script");
  content.src = "content.js";
  content.onload = () => {
    const style = ":root { color-scheme: light dark; --code: #f3f3f3; --rule: #ccc; --link: #0b57b0 }"
      + "@media (prefers-color-scheme: dark) { :root { --code: #26282c; --rule: #4a4d52; --link: #8ab4f8 } }"
      + "body { font: 16px/1.5 sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }"
      + "a { color: var(--link) }"
      + "pre { background: var(--code); padding: .75rem; overflow-x: auto } code { font-size: .9em }"
      + "table { border-collapse: collapse; display: block; overflow-x: auto }"
      + "td, th { border: 1px solid var(--rule); padding: .25rem .5rem; text-align: left; vertical-align: top }"
      + "td p, th p { margin: 0 } img { max-width: 100% }";
    document.title = page.metadata?.title ?? "Roost";
    document.body.innerHTML = `<style>${style}</style>` + render(page, root);
  };
  addEventListener("DOMContentLoaded", () => document.head.append(content));
}
