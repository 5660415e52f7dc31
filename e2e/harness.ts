/**
 * A browser on a real server, for a file of tests. Whatever goes wrong in a page fails the test that it was open in: a
 * breach of the policy, an error in the console or of a script, a request to elsewhere, an answer of 4xx or 5xx that the
 * test did not expect.
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
  /** Parts of `404 /api/...` that belong to the test. */
  readonly expected?: readonly string[]
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  /** `GET /api/devices` and so on, in order. */
  readonly requests: readonly string[]
  /** Opens a path of the UI and waits for its head. */
  readonly open: (path: string) => Promise<void>
  /** As `open`, and waits until the page has all that it asks for, and has drawn it. */
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
  // What comes after one that has crashed gets another.
  launched.on('disconnected', () => {
    browser = undefined
  })
  return launched
}

/** One for all files, which ends with this process: whatever a visit leaves behind goes with its context. */
const runningBrowser = (): Promise<Browser> => {
  browser ??= launch()
  return browser
}

const isExpected = (line: string, expected: readonly string[]): boolean => expected.some((part) => line.includes(part))

/** A script of the page, told by the browser itself; no other could get around the policy. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  platViolation([event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber, event.sample].join(' '))
})`

/** Notes what must not happen. */
const watch = async (context: BrowserContext, page: Page, origin: string, expected: readonly string[]) => {
  const problems: string[] = []
  const requests: string[] = []
  const underWay = new Set<Request>()
  await context.exposeFunction('platViolation', (text: string) => problems.push(`policy: ${text}`))
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The browser's own line for an answer of 4xx, which is judged below, with its path.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`)
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin) problems.push(`elsewhere: ${request.url()}`)
    // The icon of its tab is the browser's own affair: it asks once, whatever the page.
    if (url.pathname.startsWith('/static/assets/favicon')) return
    requests.push(`${request.method()} ${url.pathname}`)
    // A stream has no end to wait for.
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

/** What a render leads to, its effects among it, has begun by then. */
const DRAWN = `new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => done())))
})`

/** Done when nothing is under way, and drawing what came has asked for nothing more. */
const quiet = async (page: Page, { requests, underWay }: Awaited<ReturnType<typeof watch>>): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const before = requests.length
    await page.evaluate(DRAWN)
    if (underWay.size === 0 && requests.length === before) return
    if (Date.now() > deadline) throw new Error(`still under way: ${[...underWay].map((one) => one.url()).join(' ')}`)
  }
}

/** Starts everything before the tests of a file, and ends it after them. */
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

/** Asks until the answer is the one that is waited for. @throws Error with the last answer when that takes too long */
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

/** All that is handed over: what passes, which is most of it, takes longer to send than to find. */
const VIOLATIONS = `({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })))`

/** What of a page changes with its colours and its width. */
const AXE_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable']

/** What axe finds against WCAG 2.2 AA in the page as it stands, one line each; in the look alone, or without tables, where the
 * rest was judged. */
export const axeFindings = async (page: Page, part: 'all' | 'look' | 'layers' = 'all'): Promise<string[]> => {
  // By the debugger: a script element would be against the policy.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const runOnly = part === 'look' ? { type: 'rule', values: AXE_LOOK } : { type: 'tag', values: AXE_TAGS }
  const where = part === 'layers' ? "{ exclude: ['[role=grid]', '[role=treegrid]', 'table'] }" : 'document'
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const found = await page.evaluate<AxeViolation[]>(`axe.run(${where}, ${options}).then(${VIOLATIONS})`)
  return found.map(
    ({ id, target, failureSummary = '' }) => `${id} ${target.join(' ')} ${failureSummary.replace(/\s+/g, ' ')}`,
  )
}
