/** The routes of the API's own documentation. Browser-safe. */
import { z } from 'zod'
import { rawRoute } from '../../kernel/operation.ts'

export const docsRoutes = {
  openapi: rawRoute({
    name: 'docs.openapi',
    summary: 'The OpenAPI 3.1 document of this API',
    http: 'GET /api/openapi.json',
    access: 'authenticated',
    produces: 'application/json',
  }),
  page: rawRoute({
    name: 'docs.page',
    summary: 'This API as a page to browse',
    http: 'GET /api/docs',
    access: 'authenticated',
    query: z.looseObject({}),
    produces: 'text/html',
  }),
  style: rawRoute({
    name: 'docs.style',
    summary: 'The style of the API page',
    http: 'GET /api/docs/docs.css',
    access: 'authenticated',
    query: z.looseObject({}),
    produces: 'text/css',
  }),
  script: rawRoute({
    name: 'docs.script',
    summary: 'The script of the API page',
    http: 'GET /api/docs/docs.js',
    access: 'authenticated',
    query: z.looseObject({}),
    produces: 'text/javascript',
  }),
}
