/** Renders one operation of the API page: a line that expands to all details. */
import { html } from 'hono/html'
import { refName } from '../contract/json-schema.ts'
import type { Media, OpenApi, Parameter, Ref, Response } from '../openapi/document.ts'
import { exampleOf } from '../openapi/example.ts'
import { permissionsOf } from '../operation/operation.ts'
import { type Call, curlOf, toolCallOf } from './commands.ts'
import { prose } from './prose.ts'
import { bodySchema, fieldList, type Html } from './schema.ts'

const isRef = (value: object): value is Ref => '$ref' in value

export const parametersOf = (doc: OpenApi, parameters: readonly (Parameter | Ref)[] = []): Parameter[] =>
  parameters.flatMap((one) => {
    if (!isRef(one)) return [one]
    const shared = doc.components.parameters[refName(one.$ref)]
    return shared ? [shared] : []
  })

const responseOf = (doc: OpenApi, response: Response | Ref): Response | undefined =>
  isRef(response) ? doc.components.responses[refName(response.$ref)] : response

/** A block of text to copy; the script adds its button. */
const code = (label: string, text: string): Html =>
  html`<figure class="code"><figcaption>${label}</figcaption><pre><code>${text}</code></pre></figure>`

const permissionText = ({ entry }: Call): string => {
  const access = entry['x-permission']
  const permissions = permissionsOf(access)
  if (permissions.length > 0) return permissions.join(' or ')
  return access === 'public' ? 'public' : 'any signed-in caller'
}

const parametersSection = (parameters: readonly Parameter[]): Html | string => {
  if (parameters.length === 0) return ''
  const fields = parameters.map(({ name, in: place, required = false, description, schema }) => ({
    name,
    schema,
    place,
    isRequired: required,
    description,
  }))
  return html`<h4>Parameters</h4>${fieldList(fields)}`
}

const mediaOf = (content: Readonly<Record<string, Media>> | undefined): readonly [string, Media] | undefined =>
  Object.entries(content ?? {})[0]

const successSection = (status: string, response: Response): Html => {
  const media = mediaOf(response.content)
  const headers = Object.keys(response.headers ?? {}).filter((name) => name !== 'X-Request-Id')
  return html`<h4>Answer <span class="status ok">${status}</span></h4>
    ${media ? (media[0] === 'application/json' ? bodySchema(media[1].schema) : html`<p class="body-type">${media[0]}</p>`) : html`<p class="body-type">no body</p>`}
    ${headers.length > 0 ? html`<p class="note">Headers: ${headers.map((name, i) => html`${i > 0 ? ', ' : ''}<code>${name}</code>`)}</p>` : ''}`
}

/** The page shows the answer of the call itself. */
const isOfDryRunAlone = (doc: OpenApi, response: Response | Ref): boolean => {
  const headers = responseOf(doc, response)?.headers ?? {}
  return Object.hasOwn(headers, 'X-Dry-Run') && !Object.hasOwn(headers, 'X-Change-Id')
}

const errorsSection = (
  doc: OpenApi,
  responses: readonly (readonly [string, Response | Ref])[],
): Html => html`<h4>Errors</h4>
    <ul class="errors">${responses.map(([status, response]) => html`<li><span class="status">${status}</span> <span>${prose(responseOf(doc, response)?.description ?? '')}</span></li>`)}</ul>`

const exampleSection = (doc: OpenApi, response: Response): Html | string => {
  const media = mediaOf(response.content)
  if (media?.[0] !== 'application/json') return ''
  return code('Answer, as an example', JSON.stringify(exampleOf(media[1].schema, doc.components.schemas), null, 2))
}

const searchText = ({ method, path, entry }: Call): string =>
  [method, path, entry.operationId, entry.summary, entry['x-cli'] ?? '', entry['x-mcp-tool'] ?? '']
    .join(' ')
    .toLowerCase()

export const operationSection = (doc: OpenApi, call: Call): Html => {
  const { method, path, entry, parameters } = call
  const responses = Object.entries(entry.responses)
  const successes = responses.filter(([status]) => status.startsWith('2'))
  const success = successes.find(([, response]) => !isOfDryRunAlone(doc, response)) ?? successes[0]
  const response = success && responseOf(doc, success[1])
  const body = entry.requestBody?.content['application/json']
  const tool = toolCallOf(call)
  return html`<details class="operation" id="${entry.operationId}" data-search="${searchText(call)}">
  <summary>
    <span class="method ${method}">${method.toUpperCase()}</span>
    <code class="path">${path}</code>
    <span class="summary">${entry.summary}</span>
    <span class="permission">${permissionText(call)}</span>
  </summary>
  <div class="operation-body">
    <div class="facts">
      ${entry.description ? html`<p>${prose(entry.description)}</p>` : ''}
      ${parametersSection(parameters)}
      ${body ? html`<h4>Body ${entry.requestBody?.required ? '' : html`<span class="place">optional</span>`}</h4>${bodySchema(body.schema)}` : ''}
      ${success && response ? successSection(success[0], response) : ''}
      ${errorsSection(
        doc,
        responses.filter(([status]) => Number(status) >= 400),
      )}
    </div>
    <div class="samples">
      ${code('curl', curlOf(call, doc))}
      ${entry['x-cli'] ? code('Command line', entry['x-cli']) : ''}
      ${tool ? code('MCP tool', tool) : ''}
      ${response ? exampleSection(doc, response) : ''}
      <p class="note"><a href="#${entry.operationId}">${entry.operationId}</a></p>
    </div>
  </div>
</details>`
}
