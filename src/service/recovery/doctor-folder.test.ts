import { beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillData, scratch } from '../../../testing/app/data-folders.ts'
import { checkFolder } from './doctor-folder.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = join(scratch(), 'data')
  await fillData(dataDir, 'ams')
})

describe('the data folder', () => {
  const facts = () => ({ dataDir, now: new Date(), uid: process.getuid?.(), freeBytes: () => 1e12 })
  const of = (check: string, given = facts()) => checkFolder(given).find((finding) => finding.check === check)

  test('that is a file', async () => {
    const file = join(dataDir, 'plat.db')
    expect(checkFolder({ ...facts(), dataDir: file })).toMatchObject([{ check: 'data folder', status: 'problem' }])
  })

  test('that others can look into', () => {
    chmodSync(dataDir, 0o755)
    expect(of('rights')).toMatchObject({ status: 'warning', advice: `chmod 700 ${dataDir}` })
  })

  test('the data folder has data that others can read', () => {
    chmodSync(dataDir, 0o755)
    chmodSync(join(dataDir, 'plat.db'), 0o644)
    expect(of('rights')).toMatchObject({ status: 'problem', message: expect.stringContaining('plat.db (0644)') })
  })

  // Only root may change the owner of a file. Other users test with a file of another user.
  test('with a file that belongs to someone else', () => {
    if (process.getuid?.() === 0) {
      chownSync(join(dataDir, 'plat.db'), 1234, 1234)
      expect(of('owner')).toMatchObject({ status: 'problem', message: expect.stringContaining('plat.db belongs') })
    } else {
      expect(of('owner', { ...facts(), uid: 1234 })).toMatchObject({ status: 'problem' })
    }
  })

  test('looked at by someone else', () => {
    expect(of('owner', { ...facts(), uid: 1234 })).toMatchObject({
      status: 'problem',
      advice: 'run it as the user that the server runs as',
    })
  })

  test.each([
    [1e6, 'problem'],
    [100e6, 'warning'],
    [1e12, 'ok'],
  ] as const)('with %p bytes free: %s', (free, status) => {
    expect(of('disk', { ...facts(), freeBytes: () => free })?.status).toBe(status)
  })

  test('names the old copies when space is short', () => {
    writeFileSync(join(dataDir, 'plat-before-2.db'), 'x'.repeat(5000))
    expect(of('disk', { ...facts(), freeBytes: () => 1e6 })).toMatchObject({
      message: expect.stringContaining('5.0 KB of older copies'),
      advice: expect.stringContaining('plat-before-*.db'),
    })
  })

  test('written in the future', () => {
    const later = Date.now() / 1000 + 86_400
    utimesSync(join(dataDir, 'plat.db'), later, later)
    expect(of('clock')).toMatchObject({ status: 'problem', message: expect.stringContaining('it was set back') })
  })

  test('with a clock that was never set', () => {
    expect(of('clock', { ...facts(), now: new Date(0) })).toMatchObject({
      status: 'problem',
      message: 'it shows 1970-01-01T00:00:00.000Z',
    })
  })
})
