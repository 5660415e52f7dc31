// A proposed call has no deadline, so its body must come at 16 KiB/s over any 10 s.
import { expect, test } from 'bun:test'
import { listening } from '../../testing/app/listening.ts'
import { drip } from '../../testing/hostile/dripping.ts'

/** Ten seconds, and as long again for a busy machine. */
const PATIENCE_MS = 30_000

test(
  'the slow body of a proposed call is ended with 408',
  async () => {
    const target = await listening()
    const key = await target.admin()
    const client = drip({ url: target.url, key, path: '/api/devices?proposal=draft', type: 'application/json' })
    client.send('{"name": "slow')
    try {
      expect(await client.status).toBe(408)
    } finally {
      client.vanish()
      await target.stop()
    }
  },
  PATIENCE_MS,
)
