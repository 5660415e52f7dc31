/**
 * Serves the built web UI in front of the API: hashed files under /static/, the documentation under /help/, and the page
 * at / for every client. Other paths get the page if a browser navigates to them, with 404 if the UI has no such page.
 * Rate limits do not count these requests.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { computeEtag, matchesEtag, quoteEtag } from '../../../contract/etag.ts'
import { getSecurityHeaders, type SecurityHeaders } from '../headers.ts'
import { split } from '../request-context.ts'
import { createHostCheck, type HostCheck } from '../request-host.ts'
import { formatThemeAttributes } from '../theme-cookie.ts'
import { parseWeights, selectCoding } from './compression.ts'

/** Undefined for a request that is not for the UI. */
export type Site = (request: Request) => Response | undefined

/** `app` is the one Trusted Types policy of the UI: for the URL of its worker. */
const PAGE_POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types app',
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webp': 'image/webp',
  '.png': 'image/png',
}

/** The files that the build makes beside each asset. */
const CODED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
type Coding = (typeof CODED)[number][0]
/** Answers share the bytes of a blob. Of an array each would hold a copy until its client has read it. */
type Bytes = Blob
type File = { readonly type: string; readonly plain: Bytes; readonly coded: ReadonlyMap<Coding, Bytes> }

/** The name contains a hash of the content, so the content of a name never changes (RFC 8246). */
const FOREVER = 'public, max-age=31536000, immutable'

/** Paths of the API and of other machine interfaces. All other paths are for people. */
const NOT_A_PAGE = /^\/(api|netbox\/api|mcp|mcp-oauth|static|\.well-known)(\/|$)|^\/(healthz|readyz|metrics)$/

/** Reads the files of a folder, by their paths below a prefix. */
const readFiles = (folder: string, prefix: string): ReadonlyMap<string, File> => {
  const read = (name: string): Bytes => new Blob([readFileSync(join(folder, name))])
  const names = new Set(readdirSync(folder))
  const files = [...names].flatMap((name): [string, File][] => {
    const type = TYPES[extname(name)]
    if (type === undefined) return []
    const coded = new Map<Coding, Bytes>()
    for (const [coding, ending] of CODED) if (names.has(name + ending)) coded.set(coding, read(name + ending))
    return [[`${prefix}${name}`, { type, plain: read(name), coded }]]
  })
  return new Map(files)
}

type Answer = (body: Bytes | string | null, status: number, headers: Readonly<Record<string, string>>) => Response

const createAnswer =
  (security: SecurityHeaders): Answer =>
  (body, status, headers) =>
    new Response(body, { status, headers: { ...security, 'X-Request-Id': Bun.randomUUIDv7(), ...headers } })

const respondAsset = (answer: Answer, { type, plain, coded }: File, accepted: string | null): Response => {
  const coding = selectCoding(accepted, [...coded.keys()])
  return answer((coding && coded.get(coding)) ?? plain, 200, {
    'Content-Type': type,
    'Cache-Control': FOREVER,
    Vary: 'Accept-Encoding',
    ...(coding ? { 'Content-Encoding': coding } : {}),
  })
}

/** Returns true for a browser that navigates to a page. API clients do not accept HTML by name. */
const wantsHtml = ({ headers }: Request): boolean =>
  (headers.get('accept') ?? '').includes('text/html') && !headers.has('x-requested-with')

/** True if Accept allows HTML (RFC 9110 12.5.1) or is missing; the root has only the page. */
const acceptsHtml = ({ headers }: Request): boolean => {
  if (headers.has('x-requested-with')) return false
  const ranges = parseWeights(headers.get('accept') || '*/*')
  const weight = ranges.get('text/html') ?? ranges.get('text/*') ?? ranges.get('*/*') ?? 0
  return weight > 0
}

/** Compiles `/devices/$id` to an expression. A trailing slash names the same page. */
const compilePattern = (paths: readonly string[]): RegExp =>
  new RegExp(`^(${paths.map((path) => path.replace(/\/$/, '').replace(/\$\w+/g, '[^/]+')).join('|')})/?$`)

/** Reads the paths of the UI, as its build wrote them. */
const readPaths = (folder: string): RegExp => {
  // Only web/build.ts writes it.
  const paths = JSON.parse(readFileSync(join(folder, 'paths.json'), 'utf8')) as readonly string[]
  return compilePattern(paths)
}

const HELP = '/help'
const isHelp = (path: string): boolean => path === HELP || path.startsWith(`${HELP}/`)

/** The documentation: its pages and pictures by their paths. */
type Help = { readonly pages: ReadonlyMap<string, Loaded['pageFor']>; readonly pictures: ReadonlyMap<string, File> }

const readHelp = (folder: string): Help => {
  const names = readdirSync(folder).flatMap((file) => (extname(file) === '.html' ? [basename(file, '.html')] : []))
  const read = (name: string) => createPageCache(readFileSync(join(folder, `${name}.html`), 'utf8'))
  return {
    pages: new Map(names.map((name) => [`${HELP}/${name === 'README' ? '' : name}`, read(name)])),
    pictures: readFiles(join(folder, 'images'), `${HELP}/images/`),
  }
}

const NOT_BUILT = 'The web UI is not built. `npm start` builds it; the API works without it.\n'

type Page = { readonly html: string; readonly etag: string }

type Loaded = {
  readonly assets: ReadonlyMap<string, File>
  readonly help: Help
  /** Returns the page with attributes of its root. */
  readonly pageFor: (look: string) => Page
  readonly places: RegExp
}

const createPageCache = (plain: string): Loaded['pageFor'] => {
  const made = new Map<string, Page>()
  return (look) => {
    const known = made.get(look)
    if (known) return known
    const html = plain.replace('<html', `<html${look}`)
    const page = { html, etag: computeEtag(html) }
    made.set(look, page)
    return page
  }
}

export type SiteOptions = {
  /** Paths of machine interfaces that are also pages, for a browser. */
  readonly alsoPages?: readonly string[]
  /** The headers of every answer. */
  readonly headers?: SecurityHeaders
  readonly checkHost?: HostCheck
  /** Matches requests to hosts without the UI. */
  readonly isElsewhere?: ((headers: Headers) => boolean) | undefined
  /** Attributes of the root of every page, after a blank: settings that the UI needs before its first request. */
  readonly attributes?: string
}

/** The page continues to the site that opened it, so its policy must not separate the two windows. */
const OPENED_BY_OTHERS = { 'Cross-Origin-Opener-Policy': 'unsafe-none' }

/** Creates the site. It reads the UI at the first request. */
export const openSite = (folder: string, options: SiteOptions = {}): Site => {
  const { alsoPages = [], headers: security = getSecurityHeaders({ cookieSecure: true }) } = options
  const { checkHost = createHostCheck([]), attributes = '', isElsewhere } = options
  const answer = createAnswer(security)
  const isPage = (path: string): boolean => !NOT_A_PAGE.test(path) || alsoPages.includes(path)
  let loaded: Loaded | undefined
  const load = () => {
    if (!existsSync(join(folder, 'index.html'))) return undefined
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    return {
      assets: readFiles(join(folder, 'assets'), '/static/assets/'),
      help: readHelp(join(folder, 'help')),
      pageFor: createPageCache(page),
      places: readPaths(folder),
    }
  }

  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const [path] = split(request.url)
    const isAsset = path.startsWith('/static/')
    const isWanted = path === '/' || isHelp(path) ? acceptsHtml(request) : wantsHtml(request)
    const isPicture = path.startsWith(`${HELP}/images/`)
    if (!isAsset && !isPicture && !(isPage(path) && isWanted)) return undefined
    // The application rejects it.
    if (checkHost(request.headers) || isElsewhere?.(request.headers)) return undefined
    loaded ??= load()
    if (!loaded) return answer(NOT_BUILT, 503, { 'Content-Type': 'text/plain; charset=utf-8' })
    const { assets, help, pageFor, places } = loaded
    if (isAsset) {
      const file = assets.get(path)
      if (file) return respondAsset(answer, file, request.headers.get('accept-encoding'))
      // After an upgrade, an open tab requests files of the previous version.
      return answer('Not found\n', 404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    }
    const theme = formatThemeAttributes(request.headers.get('cookie'))
    const picture = help.pictures.get(path)
    if (picture)
      return answer(picture.plain, 200, { 'Content-Type': picture.type, 'Cache-Control': 'public, max-age=3600' })
    if (path === HELP) return answer(null, 308, { Location: `${HELP}/` })
    const document = help.pages.get(path)
    const { html, etag } = document ? document(theme) : pageFor(attributes + theme)
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PAGE_POLICY,
      'Cache-Control': 'no-cache',
      Vary: 'Accept, Cookie',
      ETag: quoteEtag(etag),
      ...(alsoPages.includes(path) ? OPENED_BY_OTHERS : {}),
    }
    // The page itself shows that it was not found.
    if (!document && !places.test(path) && !alsoPages.includes(path))
      return answer(html, 404, { ...headers, 'Cache-Control': 'no-store' })
    const held = request.headers.get('if-none-match')
    if (held !== null && matchesEtag(held, etag)) return answer(null, 304, headers)
    return answer(html, 200, headers)
  }
}
