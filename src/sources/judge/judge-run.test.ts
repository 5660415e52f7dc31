// A run that applies what it has judged, in one transaction.
import { describe, expect, test } from 'bun:test'
import { judgedApp } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { vm } from '../testing/said-rows.ts'

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)

  describe('a run that applies', () => {
    test('stores links and bases with its changes, and then finds nothing', async () => {
      const id = await j.source()
      const rows = [vm('zc/1'), vm('zc/2')]
      const outcome = await j.say(id, rows, { applies: true })
      expect(outcome).toMatchObject({ result: 'applied', counts: { devices: { created: 2 } } })
      expect(outcome.changeId).not.toBe('')
      expect(await j.find(id, 'zc/1')).toMatchObject({ state: 'synced', kept: {} })
      expect(await j.say(id, rows, { applies: true })).toEqual({
        ...{ result: 'unchanged', counts: {}, changeId: '', message: '' },
      })
    })

    test('is whole or absent: one that ends in its transaction leaves nothing, and the next one does all', async () => {
      const id = await j.source()
      const rows = [vm('zd/1'), vm('zd/2')]
      const ended = new AbortController()
      // The transaction has begun, and has written all when it ends.
      const confirm = async () => ended.abort(new Error('the server ends'))
      await expect(j.say(id, rows, { applies: true, signal: ended.signal, confirm })).rejects.toThrow('the server ends')
      expect(await j.api.devices.list({ managed_by: `source:${id}` })).toEqual([])
      expect(await j.find(id, 'zd/1')).toMatchObject({ state: 'changed', object_id: null })
      expect(await j.say(id, rows, { applies: true })).toMatchObject({ counts: { devices: { created: 2 } } })
      expect(await j.api.devices.list({ managed_by: `source:${id}` })).toHaveLength(2)
    })

    test('judges again in its transaction what has changed since', async () => {
      const id = await j.source()
      await j.say(id, [vm('ze/1', { os: 'Debian 12' })], { applies: true })
      const object = await j.findId(id, 'ze/1')
      let isFirst = true
      // Before the transaction, a person edits the device.
      const confirm = async () => {
        if (isFirst && dialect === 'postgres') await j.api.devices.update({ id: object, os: 'mine' })
        isFirst = false
      }
      if (dialect === 'sqlite') await j.api.devices.update({ id: object, os: 'mine' })
      await j.say(id, [vm('ze/1', { os: 'Debian 13' })], { applies: true, confirm })
      expect((await j.api.devices.get({ id: object })).os).toBe('mine')
    })

    test('is held in each run until force', async () => {
      const id = await j.source({ gone_after_hours: 0 })
      const rows = Array.from({ length: 10 }, (_, i) => vm(`zf/${i}`))
      await j.say(id, rows, { applies: true })
      for (const _ of [1, 2])
        expect(await j.say(id, rows.slice(5), { applies: true })).toMatchObject({ result: 'held', changeId: '' })
      expect(await j.say(id, rows.slice(5), { applies: true, force: true })).toMatchObject({
        ...{ result: 'applied', counts: { devices: { gone: 5 } } },
      })
      // Decommissioned devices count no more.
      expect(await j.say(id, rows.slice(5), { applies: true })).toMatchObject({ result: 'unchanged' })
    })
  })
})
