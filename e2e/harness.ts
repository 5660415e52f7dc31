/**
 * A browser on a real server, for a file of tests. Whatever goes wrong in a page fails the test that it was open in: a
 * breach of the policy, an error in the console or of a script, a request to elsewhere, an answer of 4xx or 5xx that the
 * test did not expect.
 */
import { afterAll, beforeAll } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
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
}

export type World = {
  readonly plat: RunningPlat
  readonly visit: (work: (visit: Visit) => Promise<void>, options?: VisitOptions) => Promise<void>
}

const launch = (): Promise<Browser> => {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('there is no Chromium; npm test installs one')
  return chromium.launch({ executablePath, args: FLAGS })
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
    // The icon of its tab is the browser's own affair: it asks once, whatever the page.
    if (!url.pathname.startsWith('/static/assets/favicon')) requests.push(`${request.method()} ${url.pathname}`)
    if (url.origin !== origin) problems.push(`elsewhere: ${request.url()}`)
  })
  context.on('response', (response) => {
    const line = `${response.status()} ${new URL(response.url()).pathname}`
    if (response.status() >= 400 && !isExpected(line, expected)) problems.push(`answer: ${line}`)
  })
  return { problems, requests }
}

/** Starts everything before the tests of a file, and ends it after them. */
export const world = (options: ServerOptions = {}): World => {
  let plat: RunningPlat | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!ensureWeb()) throw new Error('the web UI can not be built')
    ;[plat, browser] = await Promise.all([startPlat(options), launch()])
  }, START_MS)
  afterAll(async () => {
    await browser?.close()
    await plat?.stop()
  }, START_MS)

  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('it is there in the tests of the file')
    return value
  }

  const visit: World['visit'] = async (
    work,
    { as, theme = 'light', width = 1440, height = 900, expected = [] } = {},
  ) => {
    const { url, signIn } = started(plat)
    const context = await started(browser).newContext({
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
      const { problems, requests } = await watch(context, page, url, expected)
      const open = async (path: string) => {
        await page.goto(path)
        await page.locator('h1').first().waitFor()
      }
      await work({ page, context, requests, open })
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

type AxeNode = { readonly target: readonly string[]; readonly failureSummary?: string }
type AxeResults = { readonly violations: readonly { readonly id: string; readonly nodes: readonly AxeNode[] }[] }

/** What of a page changes with its colours and its width. */
const AXE_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable']

/** What axe finds against WCAG 2.2 AA in the page as it stands, one line each; in the look alone, or without tables, where the
 * rest was judged. */
export const axeFindings = async (page: Page, part: 'all' | 'look' | 'layers' = 'all'): Promise<string[]> => {
  // By the debugger: a script element would be against the policy.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const runOnly = part === 'look' ? { type: 'rule', values: AXE_LOOK } : { type: 'tag', values: AXE_TAGS }
  const where = part === 'layers' ? "{ exclude: ['[role=grid]', '[role=treegrid]', 'table'] }" : 'document'
  const options = JSON.stringify({ runOnly })
  const results = await page.evaluate<AxeResults>(`axe.run(${where}, ${options})`)
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} ${target.join(' ')} ${failureSummary.replace(/\s+/g, ' ')}`),
  )
}
