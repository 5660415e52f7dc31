/**
 * A browser on a real server, for a file of tests. Any problem in a page fails the test that opened it: a policy
 * violation, a script or console error, a request to another host, or an unexpected 4xx or 5xx response.
 */
import { afterAll, beforeAll } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
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
  readonly height?: number
  /** Parts of `404 /api/...` responses that the test expects. */
  readonly expected?: readonly string[]
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  /** `GET /api/devices` and so on, in order. */
  readonly requests: readonly string[]
  /** Opens a path of the UI and waits for its heading. */
  readonly open: (path: string) => Promise<void>
  /** As `open`, and waits until all requests of the page are answered and rendered. */
  readonly openWhole: (path: string) => Promise<void>
}

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

/** One browser for all files, which ends with this process. Each visit has a separate context. */
const runningBrowser = (): Promise<Browser> => {
  browser ??= launch()
  return browser
}

const isExpected = (line: string, expected: readonly string[]): boolean => expected.some((part) => line.includes(part))

/** A script of the page that the browser runs directly. The policy would block any other. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  platViolation([event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber, event.sample].join(' '))
})`

/** Records problems. */
const watch = async (context: BrowserContext, page: Page, origin: string, expected: readonly string[]) => {
  const problems: string[] = []
  const requests: string[] = []
  const underWay = new Set<Request>()
  await context.exposeFunction('platViolation', (text: string) => problems.push(`policy: ${text}`))
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The browser's message about a 4xx response, which is checked below with its path.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`)
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin) problems.push(`elsewhere: ${request.url()}`)
    // The browser requests the icon of the tab once, on any page.
    if (url.pathname.startsWith('/static/assets/favicon')) return
    // The page loads the palette after a while: on a slow machine before it is quiet.
    if (!url.pathname.startsWith('/static/assets/palette-')) requests.push(`${request.method()} ${url.pathname}`)
    // An event stream does not end.
    if (request.resourceType() !== 'eventsource') underWay.add(request)
  })
  context.on('requestfinished', (request) => underWay.delete(request))
  context.on('requestfailed', (request) => underWay.delete(request))
  context.on('response', (response) => {
    const line = `${response.status()} ${new URL(response.url()).pathname}`
    if (response.status() >= 400 && !isExpected(line, expected)) problems.push(`answer: ${line}`)
  })
  return { problems, requests, underWay }
}

/** By then, the effects of a render have started. */
const DRAWN = `new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => done())))
})`

/** Returns when no request is pending and rendering has caused no other. */
const quiet = async (page: Page, { requests, underWay }: Awaited<ReturnType<typeof watch>>): Promise<void> => {
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
  beforeAll(async () => {
    if (!ensureWeb()) throw new Error('the web UI can not be built')
    ;[plat] = await Promise.all([startPlat(options), runningBrowser()])
  }, START_MS)
  afterAll(() => plat?.stop(), START_MS)

  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('it is there in the tests of the file')
    return value
  }

  const visit: World['visit'] = async (
    work,
    { as, theme = 'light', width = 1440, height = 900, expected = [] } = {},
  ) => {
    const { url, signIn } = started(plat)
    const context = await (await runningBrowser()).newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      baseURL: url,
      locale: 'en-US',
    })
    context.setDefaultTimeout(PATIENCE_MS)
    try {
      if (as) await context.addCookies([await signIn(as)])
      const page = await context.newPage()
      const watched = await watch(context, page, url, expected)
      const { problems, requests } = watched
      const open = async (path: string) => {
        await page.goto(path)
        await page.locator('h1').first().waitFor()
      }
      const openWhole = async (path: string) => {
        await page.goto(path)
        await page.locator('h1, h2').first().waitFor()
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        await quiet(page, watched)
      }
      await work({ page, context, requests, open, openWhole })
      if (problems.length > 0) throw new Error(problems.join('\n'))
    } finally {
      await context.close()
    }
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
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

type AxeViolation = { readonly id: string; readonly target: readonly string[]; readonly failureSummary?: string }

/** Returns only violations, because sending the passed checks takes longer than running them. */
const VIOLATIONS = `({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })))`

/** The checks that depend on colours and width. */
const AXE_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable']

/**
 * Returns the WCAG 2.2 AA violations that axe finds in the page, one line each. Optionally checks only the look, or
 * leaves out tables where other checks cover them.
 */
export const axeFindings = async (page: Page, part: 'all' | 'look' | 'layers' = 'all'): Promise<string[]> => {
  // Through the debugger, because the policy permits no script element.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const runOnly = part === 'look' ? { type: 'rule', values: AXE_LOOK } : { type: 'tag', values: AXE_TAGS }
  const where = part === 'layers' ? "{ exclude: ['[role=grid]', '[role=treegrid]', 'table'] }" : 'document'
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const found = await page.evaluate<AxeViolation[]>(`axe.run(${where}, ${options}).then(${VIOLATIONS})`)
  return found.map(
    ({ id, target, failureSummary = '' }) => `${id} ${target.join(' ')} ${failureSummary.replace(/\s+/g, ' ')}`,
  )
}
