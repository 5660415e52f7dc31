// Sources of which too many objects are gone.
import { describe, expect, test } from 'bun:test'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { pushingApp } from '../../../testing/sources/pushing.ts'

const device = (_: unknown, i: number) => ({ name: `held-${i}`, refs: { held: `${i}` } })
const DEVICES = Array.from({ length: 10 }, device)

describe.each(onSqlite())('on %s', (dialect) => {
  const p = pushingApp(dialect)

  test('a source stays held while objects are missing that are not due, until it is less', async () => {
    const id = await p.source({ mode: 'auto', ref: 'held', gone_after_hours: 24 })
    expect(await p.run(id, { devices: DEVICES })).toMatchObject({ result: 'applied' })
    for (const _ of ['another snapshot', 'the same one']) {
      const { result, message } = await p.run(id, { devices: DEVICES.slice(5) })
      expect([result, message]).toEqual(['held', expect.stringContaining('5 of 10 devices are gone')])
      expect(await p.api.sources.get({ id })).toMatchObject({ status: 'held', status_message: message })
    }
    expect(await p.run(id, { devices: DEVICES.slice(2) })).toMatchObject({ result: 'unchanged' })
    expect(await p.api.sources.get({ id })).toMatchObject({ status: 'ok', status_message: '' })
  })
})
