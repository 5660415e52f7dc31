import { describe, expect, test } from 'bun:test'
import { createNewIds, createRandomId } from './new-ids.ts'

const PROPOSAL = '01939d5e-7c1a-7b3c-9d2e-0a1b2c3d4e5f'
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const takeIds = (operation: string, of: readonly (string | undefined)[]): string[] => {
  const newId = createNewIds({ proposal: PROPOSAL, operation })
  return of.map((one) => newId(one))
}

describe('the ids that a proposal decides', () => {
  test('two runs of an operation give the same ids in the same order', () => {
    const wanted = [undefined, undefined, undefined]
    expect(takeIds('1', wanted)).toEqual(takeIds('1', wanted))
    expect(new Set(takeIds('1', wanted)).size).toBe(3)
  })

  test('each id is a UUIDv7 with the time of the proposal', () => {
    for (const id of takeIds(
      '1',
      Array.from({ length: 100 }, () => undefined),
    )) {
      expect(id).toMatch(UUID_V7)
      expect(id.slice(0, 13)).toBe(PROPOSAL.slice(0, 13))
    }
  })

  test('two operations of a proposal give different ids', () => {
    expect(takeIds('1', [undefined])).not.toEqual(takeIds('2', [undefined]))
  })

  test('an id of something does not depend on the order, and leaves the counter alone', () => {
    const [first, named, second] = takeIds('1', [undefined, 'conflict 10.0.0.1', undefined])
    expect(takeIds('1', ['conflict 10.0.0.1'])).toEqual([named ?? ''])
    expect(takeIds('1', [undefined, undefined])).toEqual([first ?? '', second ?? ''])
  })

  test('an object that is made again gets another id', () => {
    const [first, second] = takeIds('1', ['conflict 10.0.0.1', 'conflict 10.0.0.1'])
    expect(second).not.toBe(first)
  })

  test('a name that looks like a number is not a number', () => {
    expect(takeIds('1', ['0'])).not.toEqual(takeIds('1', [undefined]))
  })

  test('random ids differ', () => {
    expect(createRandomId()).not.toBe(createRandomId())
  })
})

describe('the stores of the estate', () => {
  const ROOT = `${import.meta.dir}/../../..`
  const FOLDERS = ['inventory', 'resource', 'exchange/plan', 'exchange/apply', 'dns/records', 'sources/judge']
  const OF_DISCOVERY = ['discovery/rules', 'discovery/inbox', 'discovery/devices']

  test.each([...FOLDERS, ...OF_DISCOVERY])('of %s take the ids of new objects from the context', async (folder) => {
    const paths = [...new Bun.Glob(`src/${folder}/**/*.ts`).scanSync({ cwd: ROOT })]
    const sources = paths.filter((path) => !path.endsWith('.test.ts'))
    const texts = await Promise.all(sources.map((path) => Bun.file(`${ROOT}/${path}`).text()))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.filter((_, i) => texts[i]?.includes('randomUUID'))).toEqual([])
  })
})
