/** The route that answers with the estate as a document, row by row. */
import { stringify } from 'yaml'
import { etagOf, matchesEtag, quoted } from '../../../platform/contract/etag.ts'
import { rawQuery } from '../../../platform/contract/raw-query.ts'
import { longResponse } from '../../../platform/http/respond.ts'
import type { Ctx } from '../../ctx.ts'
import { INVENTORY, tableOf } from '../../inventory.ts'
import { expiringRevision } from '../../pools/free-space.ts'
import { ExportQuery } from '../api.ts'
import { CustomExport } from './custom.ts'
import { mayList, Names } from './names.ts'
import { exportedRows } from './rows.ts'

type Lists = AsyncIterable<{ readonly resource: string; readonly rows: readonly object[] }>

const YAML = { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false, blockQuote: 'literal' } as const

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ')

/** Each list begins with its first row, so that an empty one is absent. */
async function* yamlOf(lists: Lists): AsyncGenerator<string> {
  let last = ''
  for await (const { resource, rows } of lists) {
    if (rows.length === 0) continue
    if (resource !== last) yield `${resource}:\n`
    last = resource
    yield indented(stringify(rows, YAML))
  }
  if (last === '') yield '{}\n'
}

async function* jsonOf(lists: Lists): AsyncGenerator<string> {
  let last = ''
  yield '{'
  for await (const { resource, rows } of lists) {
    if (rows.length === 0) continue
    const opening = resource === last ? ',\n' : `${last === '' ? '' : '\n],'}\n${JSON.stringify(resource)}: [\n`
    last = resource
    yield opening + rows.map((row) => JSON.stringify(row)).join(',\n')
  }
  yield last === '' ? '}\n' : '\n]\n}\n'
}

const FORMATS = {
  yaml: { write: yamlOf, type: 'application/yaml; charset=utf-8' },
  json: { write: jsonOf, type: 'application/json' },
} as const

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) yield encoder.encode(text)
}

export const exportHandler = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { managed_by: owner, resource, format } = rawQuery(ExportQuery, request)
  if (resource !== undefined) ctx.require(`${resource}:list`)
  const listable = INVENTORY.filter((one) => mayList(ctx, one))
  const resources = resource === undefined ? listable : [resource]
  const { write, type } = FORMATS[format]
  // Before any row. An object that is exported names others.
  const revision = await expiringRevision(ctx, [...listable.map(tableOf), 'pool_tags'])
  const etag = etagOf(`${revision} ${owner} ${resources.join()} ${listable.join()} ${format}`)
  const headers = { ETag: quoted(etag), 'Cache-Control': 'private, no-cache' }
  if (matchesEtag(request.headers.get('if-none-match') ?? '', etag)) return new Response(null, { status: 304, headers })
  async function* lists(): Lists {
    const [names, custom] = [await Names.read(ctx), await CustomExport.read(ctx)]
    for (const one of resources)
      for await (const rows of exportedRows(ctx, one, { names, custom, owner })) yield { resource: one, rows }
  }
  return longResponse({ source: encoded(write(lists())) }, { headers: { ...headers, 'Content-Type': type } })
}
