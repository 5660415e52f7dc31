/** ARP requests leave by the right interface, also where `/sys` shows the interfaces of another network namespace. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { checkLab, createLab, type Lab } from '../../../testing/scanner-lab/lab.ts'
import { openLibc } from '../sys/libc.ts'
import { buildPlan } from '../testing/plans.ts'
import { getInterfaceNumber } from './links.ts'

const problem = process.env.PLAT_TEST_LAB === 'off' ? 'PLAT_TEST_LAB is off' : checkLab()

describe.skipIf(problem !== undefined)('in a network namespace that has the /sys of another one', () => {
  let lab: Lab
  beforeAll(() => {
    lab = createLab()
  }, 60_000)
  afterAll(() => lab?.remove())

  test('a large network is asked by ARP, and all hosts are found', async () => {
    const plan = buildPlan({ subnet: '198.18.0.0/21', probesPerSecond: 2000 })
    const { hosts } = await lab.scan(plan, { as: 'raw', keepsMounts: true })
    expect([hosts.length, new Set(hosts.map(({ macSource }) => macSource))]).toEqual([50, new Set(['arp'])])
  }, 60_000)
})

describe.skipIf(openLibc() === undefined)('the number of an interface', () => {
  const c = openLibc()

  test('is above zero for each that this machine has', () => {
    const names = Object.keys(networkInterfaces())
    expect(names.filter((name) => getInterfaceNumber(c, name) <= 0)).toEqual([])
  })
  test('is 0 for a name that no interface has', () => expect(getInterfaceNumber(c, 'plat-none')).toBe(0))
  test('is 0 where there is no C library to ask', () => expect(getInterfaceNumber(undefined, 'lo')).toBe(0))
})
