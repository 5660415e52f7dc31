/** Serves the OpenAPI document and the page that renders it. Both are built at the first request and cached. */
import css from '../../platform/docs/docs.css' with { type: 'text' }
import script from '../../platform/docs/docs.js' with { type: 'text' }
import { docsPage } from '../../platform/docs/page.ts'
import { type ServeText, serveText } from '../../platform/docs/serve.ts'
import { openapi } from '../../platform/openapi/openapi.ts'
import type { Feature } from '../ctx.ts'
import { contracts, routes } from '../index.ts'
import { docsRoutes } from './api.ts'

export type DocsOptions = { readonly version: string }

type Served = Readonly<Record<keyof typeof docsRoutes, ServeText>>

const make = async ({ version }: DocsOptions): Promise<Served> => {
  const document = openapi(contracts, routes, { version })
  return {
    openapi: serveText('application/json', JSON.stringify(document)),
    page: serveText('text/html; charset=utf-8', await docsPage(document)),
    style: serveText('text/css; charset=utf-8', css),
    script: serveText('text/javascript; charset=utf-8', script),
  }
}

export const docsFeature = (options: DocsOptions): Feature => {
  let made: Promise<Served> | undefined
  const serve = (which: keyof Served) => async (_: unknown, request: Request) => {
    made ??= make(options)
    return (await made)[which](request)
  }
  return {
    operations: [],
    routes: [
      { route: docsRoutes.openapi, handler: serve('openapi') },
      { route: docsRoutes.page, handler: serve('page') },
      { route: docsRoutes.style, handler: serve('style') },
      { route: docsRoutes.script, handler: serve('script') },
    ],
  }
}
