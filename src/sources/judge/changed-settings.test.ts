// Settings of a source that a person changes while it is read.
import { describe, expect, test } from 'bun:test'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { getSourceOrThrow } from './settings.ts'

const vm = (key: string): Said => ({ key, row: { name: key.replace('/', '-'), refs: { proxmox: key } } })

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)
  const getSettings = (id: string) => j.inJob((ctx) => getSourceOrThrow(ctx, id))
  const listMade = async (id: string) =>
    (await j.api.devices.list({ managed_by: `source:${id}` })).map(({ name }) => name)

  test('a run applies nothing after a person has set the mode to review', async () => {
    const id = await j.source({ mode: 'auto' })
    const source = await getSettings(id)
    await j.api.sources.update({ id, mode: 'review' })
    expect(await j.say(id, [vm('a/1')], { applies: true, source })).toMatchObject({ result: 'read', changeId: '' })
    expect([await listMade(id), (await j.find(id, 'a/1')).state]).toEqual([[], 'changed'])
  })

  // SQLite has one writer.
  test.skipIf(dialect === 'sqlite')('a run applies nothing if the mode changes before it takes its locks', async () => {
    const id = await j.source({ mode: 'auto' })
    let isFirst = true
    const confirm = async () => {
      if (isFirst) await j.api.sources.update({ id, mode: 'review' })
      isFirst = false
    }
    expect(await j.say(id, [vm('b/1')], { applies: true, confirm })).toMatchObject({ result: 'read', changeId: '' })
    expect([await listMade(id), (await j.find(id, 'b/1')).state]).toEqual([[], 'changed'])
  })

  test('a run deletes nothing after a person has said that objects stay', async () => {
    const id = await j.source({ mode: 'auto', when_gone: 'delete', gone_after_hours: 0 })
    await j.say(id, [vm('c/1'), vm('c/2')], { applies: true })
    const source = await getSettings(id)
    await j.api.sources.update({ id, when_gone: 'keep' })
    await j.say(id, [vm('c/1')], { applies: true, source })
    expect(await listMade(id)).toEqual(['c-1', 'c-2'])
    expect(await j.find(id, 'c/2')).toMatchObject({ state: 'gone', action: 'none' })
  })
})
