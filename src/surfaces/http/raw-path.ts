/**
 * Detects whether the path of a request's URL differs from that of the request line. Bun resolves dot segments, also
 * encoded ones (WHATWG URL), after a reverse proxy has applied its rules to the original path. Bun's router sees the
 * original path. Only paths that may be altered have routes here, because a routed request costs a tenth more.
 */
import type { Server } from 'bun'

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

/** `/:segment0/:segment1`: so many segments, none of them empty. */
const buildSegments = (count: number): string => Array.from({ length: count }, (_, i) => `/:segment${i}`).join('')

/** Returns routes and the fallback of `Bun.serve`. They pass on each request, and whether its path was altered. */
export const routeByRawPath = (serve: ByPath) => {
  type Handler = (request: Request, server: Server<undefined>) => Response | Promise<Response>
  const altered: Handler = (request, server) => serve(request, server, true)

  // Behind an empty segment, or this many, the original path is unknown; no route or page has such a path.
  const routes: Record<string, Handler> = { [`${buildSegments(MAX_SEGMENTS)}/*`]: altered }
  for (let count = 0; count < MAX_SEGMENTS; count++) {
    const before = buildSegments(count)
    routes[`${before}//*`] = altered
    for (const dots of DOT_SEGMENTS) {
      routes[`${before}/${dots}`] = altered
      routes[`${before}/${dots}/*`] = altered
    }
  }
  // A request target has no fragment (RFC 9112 3.2): the router takes `..#` for a name, and the URL parser takes it for
  // a dot segment.
  const asSent: Handler = (request, server) => serve(request, server, request.url.includes('#'))
  return { routes, fetch: asSent }
}
