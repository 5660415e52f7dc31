/**
 * A browser on a real server, for a file of tests. Any problem in a page fails the test that opened it: a policy
 * violation, a script or console error, a request to another host, or an unexpected 4xx or 5xx response.
 */
import { afterAll, beforeAll } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Response,
} from 'playwright-core'
import { findChromium } from '../scripts/server-binaries.mjs'
import { ensureWeb } from '../scripts/web.mjs'
import { type Role, type RunningPlat, type ServerOptions, startPlat } from './server.ts'

const START_MS = 120_000
const PATIENCE_MS = 15_000
const FLAGS = ['--disable-gpu', '--no-sandbox', '--force-color-profile=srgb', '--disable-lcd-text']

export type VisitOptions = {
  readonly as?: Role
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  /** The screen is touched, as that of a phone. */
  readonly hasTouch?: boolean
  readonly height?: number
  /** Parts of `404 /api/...` responses, and of addresses on other hosts, that the test expects. */
  readonly expected?: readonly string[]
  /** The context is closed afterwards, because the test changes more of it than the harness resets, such as its clock. */
  readonly changesContext?: boolean
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  /** `GET /api/devices` and so on, in order. */
  readonly requests: readonly string[]
  /** Opens a path of the UI and waits for its heading. */
  readonly open: (path: string) => Promise<void>
  /** Opens like `open`, and waits until nothing of the page is busy, and all its requests are answered and rendered. */
  readonly openWhole: (path: string) => Promise<void>
}

type Look = Required<Pick<VisitOptions, 'theme' | 'width' | 'height' | 'hasTouch'>>

export type World = {
  readonly plat: RunningPlat
  readonly visit: (work: (visit: Visit) => Promise<void>, options?: VisitOptions) => Promise<void>
}

let browser: Promise<Browser> | undefined

const launch = async (): Promise<Browser> => {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('there is no Chromium; npm test installs one')
  const launched = await chromium.launch({ executablePath, args: FLAGS })
  // After a crash, the next caller gets a new browser.
  launched.on('disconnected', () => {
    browser = undefined
  })
  return launched
}

/** One browser for all files, which ends with this process. */
const runningBrowser = (): Promise<Browser> => {
  browser ??= launch()
  return browser
}

const isExpected = (line: string, expected: readonly string[]): boolean => expected.some((part) => line.includes(part))

/** A script of the page that the browser runs directly. The policy would block any other. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  platViolation([event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber, event.sample].join(' '))
})`

type Watched = {
  readonly problems: string[]
  readonly requests: string[]
  readonly underWay: Set<Request>
  /** True once the user has signed out, until the next sign-in. */
  isLeaving: boolean
  /** The requests of the page that were sent before the end of the session, or while the page was left. */
  readonly overtaken: WeakSet<Request>
  readonly expected: readonly string[]
}

/** A context with its cache of HTTP responses, its page, and what the visit that uses it has recorded. */
type Window = { readonly context: BrowserContext; watched: Watched; page?: Page }

const nothing = (expected: readonly string[] = []): Watched => ({
  problems: [],
  requests: [],
  underWay: new Set(),
  isLeaving: false,
  overtaken: new WeakSet(),
  expected,
})

const isSignOut = (request: Request): boolean => new URL(request.url()).pathname.endsWith('/logout')

const isSignIn = (request: Request): boolean =>
  request.method() === 'POST' && /^\/api\/auth\/(login|passkey)$/.test(new URL(request.url()).pathname)

/** True for the answer of a request that the end of the session has overtaken: the page of before has sent it. */
const isOvertaken = (response: Response, { underWay, overtaken }: Watched): boolean =>
  response.status() === 401 && (overtaken.has(response.request()) || [...underWay].some(isSignOut))

/** Opens a context that records the problems of its pages. */
const openWindow = async (origin: string, { theme, width, height, hasTouch }: Look): Promise<Window> => {
  const context = await (await runningBrowser()).newContext({
    viewport: { width, height },
    hasTouch,
    isMobile: hasTouch,
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    baseURL: origin,
    locale: 'en-US',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const window: Window = { context, watched: nothing() }
  const problem = (text: string) => window.watched.problems.push(text)
  await context.exposeFunction('platViolation', (text: string) => problem(`policy: ${text}`))
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && !isExpected(request.url(), window.watched.expected))
      problem(`elsewhere: ${request.url()}`)
    // The browser requests the icon of the tab once, on any page.
    if (url.pathname.startsWith('/static/assets/favicon')) return
    // The page loads the code of forms after a while: on a slow machine before it is quiet.
    const isPreloaded = url.pathname.startsWith('/static/assets/forms-')
    if (!isPreloaded) window.watched.requests.push(`${request.method()} ${url.pathname}`)
    const { watched } = window
    watched.isLeaving &&= !isSignIn(request)
    if (watched.isLeaving) watched.overtaken.add(request)
    // An event stream does not end.
    if (request.resourceType() !== 'eventsource') window.watched.underWay.add(request)
  })
  context.on('requestfinished', (request) => window.watched.underWay.delete(request))
  context.on('requestfailed', (request) => window.watched.underWay.delete(request))
  context.on('response', (response) => {
    const { watched } = window
    if (isSignOut(response.request())) {
      watched.isLeaving = true
      for (const request of watched.underWay) watched.overtaken.add(request)
    }
    const line = `${response.status()} ${new URL(response.url()).pathname}`
    if (response.status() < 400 || isExpected(line, watched.expected) || isOvertaken(response, watched)) return
    problem(`answer: ${line}`)
  })
  return window
}

/** Returns a page without the cookies and the storage of earlier visits. Its errors are problems. */
const pageFor = async (window: Window, origin: string): Promise<Page> => {
  const { context, watched } = window
  const page = window.page ?? (await context.newPage())
  window.page = page
  page.on('pageerror', (error) => watched.problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The browser's message about a 4xx response, which is checked with its path.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      watched.problems.push(`console: ${message.text()}`)
  })
  const debug = await context.newCDPSession(page)
  await debug.send('Storage.clearDataForOrigin', { origin, storageTypes: STORED })
  await debug.detach()
  return page
}

/** Prepares the page for the next visit, because a new one compiles all scripts again. */
const reset = async ({ context, page }: Window, { theme, width, height }: Look): Promise<void> => {
  if (!page || page.isClosed()) throw new Error('the page is closed')
  page.removeAllListeners()
  await Promise.all(context.pages().map((other) => other !== page && other.close()))
  await Promise.all([context.unrouteAll({ behavior: 'ignoreErrors' }), page.unrouteAll({ behavior: 'ignoreErrors' })])
  await page.evaluate('sessionStorage.clear()')
  // The browser keeps its process only for another address of the same server.
  await page.goto('/healthz')
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await context.clearCookies()
  await context.setOffline(false)
}

/** All that pages store, without the caches that the browser keeps by itself. */
const STORED = 'cookies,local_storage,indexeddb,file_systems,cache_storage,service_workers,storage_buckets'

/** False if the visit has left the page where it cannot be reused. */
const isReset = (window: Window, look: Look): Promise<boolean> =>
  reset(window, look).then(
    () => true,
    () => false,
  )

/** The contexts of a server by the look of their pages. Visits reuse them, because a cold cache costs more than a test. */
const createWindows = (origin: string) => {
  const free = new Map<string, Window>()
  return {
    /** Runs the work in a context that no other visit uses. */
    use: async (look: Look, expected: readonly string[], work: (window: Window) => Promise<boolean>) => {
      const key = JSON.stringify(look)
      const kept = free.get(key)
      free.delete(key)
      // After a crash of the browser there is none to reuse.
      const window = kept?.context.browser()?.isConnected() ? kept : await openWindow(origin, look)
      window.watched = nothing(expected)
      let isReusable = false
      try {
        isReusable = (await work(window)) && !free.has(key) && (await isReset(window, look))
      } finally {
        if (isReusable) free.set(key, window)
        else await window.context.close()
      }
    },
    close: () => Promise.all([...free.values()].map(({ context }) => context.close())),
  }
}

/** The effects of a render have started by then. */
const DRAWN = `new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => done())))
})`

/**
 * The live feed, the numbers of proposals, the presence of a device, and their code, which a page loads when it has been quiet for a while:
 * on a slow machine before it is measured.
 */
const isLater = (line: string): boolean =>
  line === 'GET /api/events' ||
  line === 'GET /api/proposals' ||
  /\/static\/assets\/(live|presence)-|\/presence$/.test(line)

/** Counts the different requests that a page makes at once. On a slow machine an answer is asked for again, because it has become old. */
export const countRequests = (requests: readonly string[]): number =>
  new Set(requests.filter((line) => !isLater(line))).size

/** Returns when no part of the page says that it still changes by itself. */
const settled = (page: Page): Promise<void> => page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })

/** Returns when no request is pending and rendering has caused no other. */
const quiet = async (page: Page, { requests, underWay }: Watched): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const before = requests.length
    await page.evaluate(DRAWN)
    if (underWay.size === 0 && requests.length === before) return
    if (Date.now() > deadline) throw new Error(`still under way: ${[...underWay].map((one) => one.url()).join(' ')}`)
  }
}

/** Starts the server and the browser before the tests of a file, and stops them after them. */
export const world = (options: ServerOptions = {}): World => {
  let plat: RunningPlat | undefined
  let windows: ReturnType<typeof createWindows> | undefined
  beforeAll(async () => {
    if (!ensureWeb()) throw new Error('the web UI can not be built')
    ;[plat] = await Promise.all([startPlat(options), runningBrowser()])
    windows = createWindows(plat.url)
  }, START_MS)
  afterAll(async () => {
    await windows?.close()
    await plat?.stop()
  }, START_MS)

  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('it is there in the tests of the file')
    return value
  }

  const visit: World['visit'] = async (work, { as, expected = [], changesContext = false, ...rest } = {}) => {
    const { url, signIn } = started(plat)
    const look = { theme: 'light', width: 1440, height: 900, hasTouch: false, ...rest } as const
    await started(windows).use(look, expected, async (window) => {
      const { context, watched } = window
      const page = await pageFor(window, url)
      if (as) await context.addCookies([await signIn(as)])
      const open = async (path: string) => {
        await page.goto(path)
        await page.locator('h1').first().waitFor()
      }
      const openWhole = async (path: string) => {
        await page.goto(path)
        await page.locator('h1, h2').first().waitFor()
        const loading = page.getByRole('status', { name: 'Loading' })
        // A page may load several parts.
        while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' })
        await settled(page)
        await quiet(page, watched)
      }
      await work({ page, context, requests: watched.requests, open, openWhole })
      if (watched.problems.length > 0) throw new Error(watched.problems.join('\n'))
      return !changesContext
    })
  }
  return {
    get plat() {
      return started(plat)
    },
    visit,
  }
}

/**
 * Polls until the result equals the wanted one.
 * @throws Error with the last result after a timeout
 */
export const eventually = async <T>(ask: () => Promise<T>, wanted: T): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer === wanted) return
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)}, and not ${JSON.stringify(wanted)}`)
    await Bun.sleep(20)
  }
}

const axeSource = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

type AxeViolation = { readonly id: string; readonly target: readonly string[]; readonly failureSummary?: string }

/** Returns only violations, because sending the passed checks takes longer than running them. */
const VIOLATIONS = `({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })))`

/** The checks that depend on colors and width. */
const AXE_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable']

/** The element that a part of the checks is about. */
const AXE_WHERE = {
  all: 'document',
  look: 'document',
  layers: "{ exclude: ['[role=grid]', '[role=treegrid]', 'table'] }",
  menu: "{ include: ['[role=menu]', '[aria-haspopup=menu]'] }",
}
type AxePart = keyof typeof AXE_WHERE

/** Opens the last section of a form. */
export const openMore = (page: Page): Promise<void> =>
  page
    .locator('details:not([open]) > summary')
    .filter({ has: page.getByText('More', { exact: true }) })
    .click()

/** Chooses an object in a field by its name. */
export const choose = async (field: Locator, name: string): Promise<void> => {
  await field.fill(name)
  await field.page().getByRole('option', { name }).first().click()
}

/** Counts the clicks of the user on the page from now on. The list of a native choice is not a part of the page. */
export const countClicks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(`window.clicks = 0; addEventListener('pointerdown', () => { window.clicks += 1 }, true)`)
  return () => page.evaluate<number>('window.clicks')
}

/**
 * Returns the violations of WCAG 2.2 AA and of best practices that axe finds in the page, one line each. Optionally checks only the
 * look, leaves out tables, or checks only menus and their buttons, where other checks cover the rest.
 */
export const axeFindings = async (page: Page, part: AxePart = 'all'): Promise<string[]> => {
  await settled(page)
  // Through the debugger, because the policy permits no script element.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const runOnly = part === 'look' ? { type: 'rule', values: AXE_LOOK } : { type: 'tag', values: AXE_TAGS }
  const { [part]: where } = AXE_WHERE
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const found = await page.evaluate<AxeViolation[]>(`axe.run(${where}, ${options}).then(${VIOLATIONS})`)
  return found.map(
    ({ id, target, failureSummary = '' }) => `${id} ${target.join(' ')} ${failureSummary.replace(/\s+/g, ' ')}`,
  )
}
