/** ARP requests leave by the right interface, also where `/sys` shows the interfaces of another network namespace. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { createLab, type Lab, labProblem } from '../lab/lab.ts'
import { libc } from '../sys/libc.ts'
import { planOf } from '../testing/plans.ts'
import { interfaceNumber } from './links.ts'

const problem = process.env.PLAT_TEST_LAB === 'off' ? 'PLAT_TEST_LAB is off' : labProblem()

describe.skipIf(problem !== undefined)('in a network namespace that has the /sys of another one', () => {
  let lab: Lab
  beforeAll(() => {
    lab = createLab()
  }, 60_000)
  afterAll(() => lab?.remove())

  test('a large network is asked by ARP, and all hosts are found', async () => {
    const plan = planOf({ subnet: '198.18.0.0/21', probesPerSecond: 2000 })
    const { hosts } = await lab.scan(plan, { as: 'raw', keepsMounts: true })
    expect([hosts.length, new Set(hosts.map(({ macSource }) => macSource))]).toEqual([50, new Set(['arp'])])
  }, 60_000)
})

describe.skipIf(libc() === undefined)('the number of an interface', () => {
  const c = libc()

  test('is above zero for each that this machine has', () => {
    const names = Object.keys(networkInterfaces())
    expect(names.filter((name) => interfaceNumber(c, name) <= 0)).toEqual([])
  })
  test('is 0 for a name that no interface has', () => expect(interfaceNumber(c, 'plat-none')).toBe(0))
  test('is 0 where there is no C library to ask', () => expect(interfaceNumber(undefined, 'lo')).toBe(0))
})
