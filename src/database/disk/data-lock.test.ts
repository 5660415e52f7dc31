import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataLockedError, lockDataDir } from './data-lock.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plat-lock-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Another Bun process that locks the folder, reports the result, and keeps running. */
const spawnHolder = async () => {
  const script = `
    const { lockDataDir } = await import(${JSON.stringify(join(import.meta.dir, 'data-lock.ts'))})
    try {
      globalThis.unlock = lockDataDir(${JSON.stringify(dir)})
      console.log('locked')
    } catch (error) {
      console.log(error.message)
    }
    await new Promise(() => setInterval(() => {}, 1000))
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  const kill = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  return { said: new TextDecoder().decode(value).trim(), kill }
}

test('a second process is refused, with a message what to do', async () => {
  const unlock = lockDataDir(dir)
  const other = await spawnHolder()
  await other.kill()
  unlock()
  expect(other.said).toBe(
    `Another Plat is using the data folder ${dir}. Stop it first, or set DATA_DIR to another folder.`,
  )
})

test('the same process is refused a second time', () => {
  const unlock = lockDataDir(dir)
  expect(() => lockDataDir(dir)).toThrow(DataLockedError)
  unlock()
})

test('being refused does not take the lock away from who has it', async () => {
  const unlock = lockDataDir(dir)
  expect(() => lockDataDir(dir)).toThrow(DataLockedError)
  const other = await spawnHolder()
  await other.kill()
  unlock()
  expect(other.said).toContain('Another Plat')
})

test('a released folder can be locked again', () => {
  lockDataDir(dir)()
  expect(() => lockDataDir(dir)()).not.toThrow()
})

test('a killed process releases the lock', async () => {
  const other = await spawnHolder()
  await other.kill()
  expect(other.said).toBe('locked')
  expect(() => lockDataDir(dir)()).not.toThrow()
})

test('another folder can be locked', () => {
  const other = mkdtempSync(join(tmpdir(), 'plat-lock-'))
  const unlock = lockDataDir(dir)
  expect(() => lockDataDir(other)()).not.toThrow()
  unlock()
  rmSync(other, { recursive: true })
})

describe('a folder is not said to be in use', () => {
  test('when it is not there', () => {
    expect(() => lockDataDir(join(dir, 'missing'))).toThrow('unable to open database file')
  })

  test('when its lock file is damaged', () => {
    writeFileSync(join(dir, 'plat.lock'), 'this is no lock file '.repeat(100))
    expect(() => lockDataDir(dir)).toThrow('file is not a database')
  })
})
