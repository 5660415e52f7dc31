/** Renders the API page from the OpenAPI document. Works without its script; no inline script or style. */
import { html } from 'hono/html'
import type { JsonSchema } from '../../contract/json-schema.ts'
import type { DocumentedOperation, OpenApi } from '../openapi/document.ts'
import type { Call } from './commands.ts'
import { renderOperation, resolveParameters } from './operation-section.ts'
import { renderProse } from './prose.ts'
import { formatType, type Html, listFields, renderFields } from './schema.ts'

const METHODS = ['get', 'post', 'put', 'delete']
const getRank = ({ method }: Call): number => METHODS.indexOf(method)

const listCalls = (doc: OpenApi): Call[] =>
  Object.entries(doc.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, entry]: [string, DocumentedOperation]) => ({
        method,
        path,
        entry,
        parameters: resolveParameters(doc, entry.parameters),
      })),
    )
    .sort(
      (a, b) =>
        a.path.split('/').length - b.path.split('/').length ||
        (a.path < b.path ? -1 : a.path > b.path ? 1 : getRank(a) - getRank(b)),
    )

type Group = { readonly noun: string; readonly calls: readonly Call[] }

const buildGroups = (doc: OpenApi): Group[] => {
  const calls = listCalls(doc)
  return doc.tags.map(({ name }) => ({ noun: name, calls: calls.filter(({ entry }) => entry.tags.includes(name)) }))
}

const MARK = html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" d="M2 2.8h12v10.4H2zM2 7.4h7M9 2.8v10.4M9 9.8h5"/></svg>`

const renderNavigation = (
  groups: readonly Group[],
  schemaCount: number,
): Html => html`<nav aria-label="Operations by noun">
  <a href="#top">Overview</a>
  <p class="nav-title">Operations</p>
  ${groups.map(({ noun, calls }) => html`<a href="#noun-${noun}" data-noun="${noun}"><span>${noun}</span><span class="count">${calls.length}</span></a>`)}
  <p class="nav-title">Reference</p>
  <a href="#schemas"><span>schemas</span><span class="count">${schemaCount}</span></a>
  <a href="/api/openapi.json">openapi.json</a>
</nav>`

const renderGroup = (
  doc: OpenApi,
  { noun, calls }: Group,
): Html => html`<section class="group" id="noun-${noun}" data-noun="${noun}">
  <h2>${noun}</h2>
  <div class="operations">${calls.map((call) => renderOperation(doc, call))}</div>
</section>`

const renderSchema = ([name, schema]: readonly [
  string,
  JsonSchema,
]): Html => html`<section class="schema" id="schema-${name}">
  <h3>${name}</h3>
  ${schema.description ? html`<p>${renderProse(schema.description)}</p>` : ''}
  ${schema.properties ? renderFields(listFields(schema, false)) : html`<p class="body-type">${formatType(schema)}</p>`}
</section>`

/** Returns the whole page as HTML. */
export const renderDocsPage = async (doc: OpenApi): Promise<string> => {
  const groups = buildGroups(doc)
  const schemas = Object.entries(doc.components.schemas)
  const { title, version, description } = doc.info
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/docs.css">
<script type="module" src="/api/docs/docs.js"></script>
</head>
<body id="top">
<header class="side">
  <a class="brand" href="#top">${MARK}<span>${title} API</span><span class="version">${version}</span></a>
  <label class="filter" hidden>
    <span class="visually-hidden">Filter operations</span>
    <input type="search" placeholder="Filter operations" autocomplete="off" spellcheck="false"><kbd>/</kbd>
  </label>
  ${renderNavigation(groups, schemas.length)}
  <p class="nav-title">Plat</p>
  <a class="back" href="/">Back to Plat</a>
  <a class="back" href="/help/">Documentation</a>
</header>
<main>
  <section class="intro">
    <h1>${title} API</h1>
    ${description.split('\n\n').map((paragraph) => html`<p>${renderProse(paragraph)}</p>`)}
  </section>
  <p class="none" hidden>No operation matches.</p>
  ${groups.map((group) => renderGroup(doc, group))}
  <section class="schemas" id="schemas">
    <h2>schemas</h2>
    <div class="schema-grid">${schemas.map(renderSchema)}</div>
  </section>
</main>
</body>
</html>
`
  return String(await page)
}
