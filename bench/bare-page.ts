/**
 * A page of Chromium with as little attached to it as possible. What watches requests and scripts (as test frameworks do)
 * makes the page parse its scripts twice and holds up its main thread, so times are taken here.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../scripts/server-binaries.mjs'

type Answer = { readonly id?: number; readonly result?: unknown; readonly error?: { readonly message: string } }
type Send = <T>(method: string, params?: object) => Promise<T>
export type Cookie = { readonly name: string; readonly value: string; readonly secure: boolean }

export type BarePage = {
  /** The value of an expression, as JSON. */
  readonly evaluate: <T>(expression: string) => Promise<T>
  readonly go: (path: string) => Promise<void>
  readonly press: (key: string) => Promise<void>
  /** Holds the button down from one point to another, `steps` moves on the way. */
  readonly drag: (from: Point, to: Point, steps: number) => Promise<void>
  readonly close: () => Promise<void>
}
export type Point = { readonly x: number; readonly y: number }

const FLAGS = [
  ...['--headless', '--disable-gpu', '--no-sandbox', '--no-first-run', '--no-default-browser-check'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-extensions', '--disable-sync'],
  ...['--remote-debugging-port=0', '--window-size=1440,900'],
]
const START_TRIES = 100
const MOVE_REST_MS = 16

/** Reads the address that the browser listens on from its standard error. */
const endpointOf = async (stderr: ReadableStream<Uint8Array>): Promise<string> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stderr) {
    text += decoder.decode(chunk, { stream: true })
    const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
    if (found) return found
    if (text.length > START_TRIES * 1000) break
  }
  throw new Error(`Chromium does not start: ${text.slice(0, 500)}`)
}

const connect = async (endpoint: string) => {
  const socket = new WebSocket(endpoint)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  let number = 0
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.onmessage = ({ data }) => {
    const answer: Answer = JSON.parse(String(data))
    if (answer.id === undefined) return
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  }
  const sendTo =
    (sessionId?: string): Send =>
    (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++number
        waiting.set(id, ({ result, error }) => {
          if (error) reject(new Error(`${method}: ${error.message}`))
          // The protocol of the browser says what each method answers.
          else resolve(result as never)
        })
        socket.send(JSON.stringify({ id, method, params, sessionId }))
      })
  return { sendTo, close: () => socket.close() }
}

const keyOf = (key: string): object =>
  key.length === 1 ? { key, text: key } : { key, code: key, windowsVirtualKeyCode: key === 'Backspace' ? 8 : 0 }

export const startBrowser = async (baseUrl: string, cookie: Cookie) => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-chromium-'))
  const child = Bun.spawn([findChromium() ?? 'chromium', ...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const { sendTo, close } = await connect(await endpointOf(child.stderr))
  const browser = sendTo()

  /** In a profile of its own: nothing is cached. `script` runs before anything of each page. */
  const open = async (script: string): Promise<BarePage> => {
    const { browserContextId } = await browser<{ browserContextId: string }>('Target.createBrowserContext')
    const { name, value, secure } = cookie
    const cookies = [{ name, value, secure, url: baseUrl, httpOnly: true, sameSite: 'Strict' }]
    await browser('Storage.setCookies', { browserContextId, cookies })
    const { targetId } = await browser<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
    })
    const attached = await browser<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
    const send = sendTo(attached.sessionId)
    await send('Page.enable')
    await send('Page.addScriptToEvaluateOnNewDocument', { source: script })
    const mouse = (type: string, { x, y }: Point) =>
      send('Input.dispatchMouseEvent', {
        type,
        x,
        y,
        button: 'left',
        buttons: type === 'mouseReleased' ? 0 : 1,
        clickCount: 1,
      })
    return {
      evaluate: async <T>(expression: string) => {
        const { result } = await send<{ result: { value: T } }>('Runtime.evaluate', { expression, returnByValue: true })
        return result.value
      },
      go: async (path) => {
        await send('Page.navigate', { url: baseUrl + path })
      },
      press: async (key) => {
        await send('Input.dispatchKeyEvent', { type: 'keyDown', ...keyOf(key) })
        await send('Input.dispatchKeyEvent', { type: 'keyUp', ...keyOf(key) })
      },
      drag: async (from, to, steps) => {
        await mouse('mousePressed', from)
        for (let step = 1; step <= steps; step++) {
          const share = step / steps
          await mouse('mouseMoved', { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share })
          await Bun.sleep(MOVE_REST_MS)
        }
        await mouse('mouseReleased', to)
      },
      close: async () => {
        await browser('Target.disposeBrowserContext', { browserContextId })
      },
    }
  }
  const stop = async () => {
    // Not by a signal: what starts it on Debian is a script, and its pages would outlive it.
    await browser('Browser.close').catch(() => {})
    close()
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
  return { open, stop }
}
