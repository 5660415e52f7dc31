/** Creates devices on a warm server in this process: as many as `RUN_PATH_CALLS` says. `run-path.ts` runs it under coverage. */
import { expect, test } from 'bun:test'
import { listening } from '../testing/app/listening.ts'

/** Calls after which no call prepares a query, fills a cache or loads a module. */
const WARM = 20

test('a caller creates devices on a warm server', async () => {
  const { url, admin, stop } = await listening()
  const headers = { Authorization: `Bearer ${await admin()}`, 'Content-Type': 'application/json' }
  const calls = WARM + Number(process.env.RUN_PATH_CALLS)
  for (let i = 0; i < calls; i++) {
    const answer = await fetch(`${url}/api/devices`, { method: 'POST', headers, body: '{"name":"d1"}' })
    expect(answer.status).toBe(201)
    await answer.text()
  }
  await stop()
}, 60_000)
