/** Serves the OpenAPI document and the page that renders it. Both are built at the first request and cached. */

import type { DescribeCustom } from '../../contract/json-schema.ts'
import { loadDescriberForDocument } from '../../inventory/custom-fields/described.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import type { OperationSet, RawRoute } from '../../kernel/operation.ts'
import css from '../../surfaces/docs/docs.css' with { type: 'text' }
import script from '../../surfaces/docs/docs.js' with { type: 'text' }
import { renderDocsPage } from '../../surfaces/docs/page.ts'
import { type ServeText, serveText } from '../../surfaces/docs/serve.ts'
import { buildOpenapi } from '../../surfaces/openapi/openapi.ts'
import { docsRoutes } from './api.ts'

export type DocsOptions = {
  readonly version: string
  readonly contracts: Readonly<Record<string, OperationSet>>
  readonly routes: readonly RawRoute[]
}

type Served = { readonly openapi: ServeText; readonly page: ServeText }

/** @param describeCustom the defined custom fields, which the document has inline */
const make = async (
  { version, contracts, routes }: DocsOptions,
  describeCustom: DescribeCustom | undefined,
): Promise<Served> => {
  const document = buildOpenapi(contracts, routes, { version, describeCustom })
  return {
    openapi: serveText('application/json', JSON.stringify(document)),
    page: serveText('text/html; charset=utf-8', await renderDocsPage(document)),
  }
}

export const docsFeature = (options: DocsOptions): Feature => {
  let made: { readonly of: DescribeCustom | undefined; readonly served: Promise<Served> } | undefined
  const serve = (which: keyof Served) => async (ctx: Ctx, request: Request) => {
    const describeCustom = await loadDescriberForDocument(ctx)
    // Custom fields change rarely, so only the last document is kept.
    if (made?.of !== describeCustom || made === undefined)
      made = { of: describeCustom, served: make(options, describeCustom) }
    return (await made.served)[which](request)
  }
  const style = serveText('text/css; charset=utf-8', css)
  const code = serveText('text/javascript; charset=utf-8', script)
  return {
    operations: [],
    routes: [
      { route: docsRoutes.openapi, handler: serve('openapi') },
      { route: docsRoutes.page, handler: serve('page') },
      { route: docsRoutes.style, handler: async (_, request) => style(request) },
      { route: docsRoutes.script, handler: async (_, request) => code(request) },
    ],
  }
}
