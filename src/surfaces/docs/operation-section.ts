/** Renders one operation of the API page: a line that expands to all details. */
import { html } from 'hono/html'
import { getRefName } from '../../contract/json-schema.ts'
import { listPermissions } from '../../kernel/operation.ts'
import type { Media, OpenApi, Parameter, Ref, Response } from '../openapi/document.ts'
import { buildExample } from '../openapi/example.ts'
import { type Call, formatCurl, formatToolCall } from './commands.ts'
import { renderProse } from './prose.ts'
import { type Html, renderBody, renderFields } from './schema.ts'

const isRef = (value: object): value is Ref => '$ref' in value

export const resolveParameters = (doc: OpenApi, parameters: readonly (Parameter | Ref)[] = []): Parameter[] =>
  parameters.flatMap((one) => {
    if (!isRef(one)) return [one]
    const shared = doc.components.parameters[getRefName(one.$ref)]
    return shared ? [shared] : []
  })

const resolveResponse = (doc: OpenApi, response: Response | Ref): Response | undefined =>
  isRef(response) ? doc.components.responses[getRefName(response.$ref)] : response

/** Formats a block of text to copy; the script adds its button. */
const renderCode = (label: string, text: string): Html =>
  html`<figure class="code"><figcaption>${label}</figcaption><pre><code>${text}</code></pre></figure>`

const formatPermission = ({ entry }: Call): string => {
  const access = entry['x-permission']
  const permissions = listPermissions(access)
  if (permissions.length > 0) return permissions.join(' or ')
  return access === 'public' ? 'public' : 'any signed-in caller'
}

const renderParameters = (parameters: readonly Parameter[]): Html | string => {
  if (parameters.length === 0) return ''
  const fields = parameters.map(({ name, in: place, required = false, description, schema }) => ({
    name,
    schema,
    place,
    isRequired: required,
    description,
  }))
  return html`<h4>Parameters</h4>${renderFields(fields)}`
}

const getMedia = (content: Readonly<Record<string, Media>> | undefined): readonly [string, Media] | undefined =>
  Object.entries(content ?? {})[0]

const renderSuccess = (status: string, response: Response): Html => {
  const media = getMedia(response.content)
  const headers = Object.keys(response.headers ?? {}).filter((name) => name !== 'X-Request-Id')
  return html`<h4>Answer <span class="status ok">${status}</span></h4>
    ${media ? (media[0] === 'application/json' ? renderBody(media[1].schema) : html`<p class="body-type">${media[0]}</p>`) : html`<p class="body-type">no body</p>`}
    ${headers.length > 0 ? html`<p class="note">Headers: ${headers.map((name, i) => html`${i > 0 ? ', ' : ''}<code>${name}</code>`)}</p>` : ''}`
}

/** The page shows the answer of the call itself. */
const isOfDryRunAlone = (doc: OpenApi, response: Response | Ref): boolean => {
  const headers = resolveResponse(doc, response)?.headers ?? {}
  const isDry = Object.hasOwn(headers, 'X-Dry-Run') && !Object.hasOwn(headers, 'X-Change-Id')
  return isDry || Object.hasOwn(headers, 'X-Proposal')
}

const renderErrors = (
  doc: OpenApi,
  responses: readonly (readonly [string, Response | Ref])[],
): Html => html`<h4>Errors</h4>
    <ul class="errors">${responses.map(([status, response]) => html`<li><span class="status">${status}</span> <span>${renderProse(resolveResponse(doc, response)?.description ?? '')}</span></li>`)}</ul>`

const renderExample = (doc: OpenApi, response: Response): Html | string => {
  const media = getMedia(response.content)
  if (media?.[0] !== 'application/json') return ''
  return renderCode(
    'Answer, as an example',
    JSON.stringify(buildExample(media[1].schema, doc.components.schemas), null, 2),
  )
}

const searchText = ({ method, path, entry }: Call): string =>
  [method, path, entry.operationId, entry.summary, entry['x-cli'] ?? '', entry['x-mcp-tool'] ?? '']
    .join(' ')
    .toLowerCase()

export const renderOperation = (doc: OpenApi, call: Call): Html => {
  const { method, path, entry, parameters } = call
  const responses = Object.entries(entry.responses)
  const successes = responses.filter(([status]) => status.startsWith('2'))
  const success = successes.find(([, response]) => !isOfDryRunAlone(doc, response)) ?? successes[0]
  const response = success && resolveResponse(doc, success[1])
  const body = entry.requestBody?.content['application/json']
  const tool = formatToolCall(call)
  return html`<details class="operation" id="${entry.operationId}" data-search="${searchText(call)}">
  <summary>
    <span class="method ${method}">${method.toUpperCase()}</span>
    <code class="path">${path}</code>
    <span class="summary">${entry.summary}</span>
    <span class="permission">${formatPermission(call)}</span>
  </summary>
  <div class="operation-body">
    <div class="facts">
      ${entry.description ? html`<p>${renderProse(entry.description)}</p>` : ''}
      ${renderParameters(parameters)}
      ${body ? html`<h4>Body ${entry.requestBody?.required ? '' : html`<span class="place">optional</span>`}</h4>${renderBody(body.schema)}` : ''}
      ${success && response ? renderSuccess(success[0], response) : ''}
      ${renderErrors(
        doc,
        responses.filter(([status]) => Number(status) >= 400),
      )}
    </div>
    <div class="samples">
      ${renderCode('curl', formatCurl(call, doc))}
      ${entry['x-cli'] ? renderCode('Command line', entry['x-cli']) : ''}
      ${tool ? renderCode('MCP tool', tool) : ''}
      ${response ? renderExample(doc, response) : ''}
      <p class="note"><a href="#${entry.operationId}">${entry.operationId}</a></p>
    </div>
  </div>
</details>`
}
