// The process that listens: it begins, ends with its parent, and is ended.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startListening } from '../process.ts'
import { waitUntil } from '../testing/plans.ts'
import type { FromListener } from '../wire.ts'

const PLAN = { networks: [{ network_id: 'n', subnet: '198.18.250.0/24', excludes: [] }] }

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('it says that it is ready, takes another plan, and is stopped', async () => {
  const messages: FromListener[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const listening = startListening(PLAN, async (message) => {
    messages.push(message)
    resolve()
  })
  await promise
  listening.update({ networks: [] })
  listening.update({ networks: [{ network_id: 'wide', subnet: '10.0.0.0/8', excludes: ['x'] }] })
  listening.stop()
  expect(await listening.ended).toEqual({ result: 'cancelled', message: '' })
  expect(messages.map(({ type }) => type)).toEqual(['ready'])
  expect(isRunning(listening.pid)).toBe(false)
})

test('it ends when a message cannot be handled, and says why', async () => {
  const listening = startListening(PLAN, async () => {
    throw new Error('the database is away')
  })
  expect(await listening.ended).toEqual({ result: 'failed', message: 'the database is away' })
  expect(isRunning(listening.pid)).toBe(false)
})

test('it says how it died', async () => {
  const listening = startListening(PLAN, async () => {
    process.kill(listening.pid, 'SIGTERM')
  })
  expect(await listening.ended).toEqual({ result: 'died', message: 'the listening process ended by SIGTERM' })
})

test('it ends with the process that started it', async () => {
  const parent = Bun.spawn([process.execPath, join(import.meta.dirname, '..', 'testing', 'listening-parent.ts')], {
    stdin: new Blob([JSON.stringify(PLAN)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await parent.stdout.getReader().read()
  // The parent prints one line for each message.
  const { pid } = JSON.parse(new TextDecoder().decode(value).split('\n')[0] ?? '') as { pid: number }
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await waitUntil(() => !isRunning(pid), 'the listener ends')
})
