/**
 * Tells whether a request's URL has another path than the request line had. Bun resolves dot segments, also encoded ones (WHATWG URL), after a
 * reverse proxy has applied its rules to the path as it was sent. Bun's router sees that path. Only paths that may be altered have routes here:
 * a request that comes by a route costs a tenth more than one that does not.
 */
import type { Server } from 'bun'
import { split } from './exchange.ts'

/** More segments than any route or page has. */
const MAX_SEGMENTS = 16

export type ByPath = (
  request: Request,
  server: Server<undefined>,
  isPathAltered: boolean,
) => Response | Promise<Response>

const DOTS = ['.', '%2e', '%2E']
/** Every spelling of `.` and `..`. */
const DOT_SEGMENTS = [...DOTS, ...DOTS.flatMap((first) => DOTS.map((second) => first + second))]
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i

/** A URL that could not be parsed, because of its host, has not been resolved. */
const hasDotSegment = (request: Request): boolean => DOT_SEGMENT.test(split(request.url)[0])

/** `/:segment0/:segment1`: so many segments, none of them empty. */
const anySegments = (count: number): string => Array.from({ length: count }, (_, i) => `/:segment${i}`).join('')

/** Routes and the fallback of `Bun.serve` that hand every request on, and whether its path was altered. */
export const byRawPath = (serve: ByPath) => {
  type Handler = (request: Request, server: Server<undefined>) => Response | Promise<Response>
  const altered: Handler = (request, server) => serve(request, server, true)
  /** Behind an empty segment anything may have been sent. What is left of it shows whether it was resolved. */
  const unlessEmpty: Handler = (request, server) =>
    serve(request, server, hasDotSegment(request) || !/\/\/|\/$/.test(split(request.url)[0]))
  const unlessDeep: Handler = (request, server) =>
    serve(request, server, hasDotSegment(request) || split(request.url)[0].split('/').length <= MAX_SEGMENTS)

  const routes: Record<string, Handler> = { [`${anySegments(MAX_SEGMENTS)}/*`]: unlessDeep }
  for (let count = 0; count < MAX_SEGMENTS; count++) {
    const before = anySegments(count)
    routes[`${before}//*`] = unlessEmpty
    for (const dots of DOT_SEGMENTS) {
      routes[`${before}/${dots}`] = altered
      routes[`${before}/${dots}/*`] = altered
    }
  }
  return { routes, fetch: ((request, server) => serve(request, server, false)) satisfies Handler }
}
