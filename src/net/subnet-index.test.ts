import { expect, test } from 'bun:test'
import { randomOf } from '../../testing/hostile/hostile-files.ts'
import { cidrContains, cidrHolds, toCidr } from './cidr.ts'
import { SubnetIndex } from './subnet-index.ts'

test.each([4, 6] as const)('finds the most specific subnet of IPv%d, as a look at each does', (family) => {
  const random = randomOf(family)
  const shift = family === 4 ? 0n : 96n
  const ip = () => ({ family, value: BigInt(random(2 ** 16)) << shift })
  for (let round = 0; round < 100; round++) {
    const subnets = Array.from({ length: random(20) }, () => toCidr(ip(), 16 + random(17)))
    const index = new SubnetIndex<number>()
    subnets.forEach((cidr, i) => {
      index.add(cidr, i)
    })
    for (let i = 0; i < 20; i++) {
      const [a, b] = [ip(), ip()]
      const [first, last] = a.value <= b.value ? [a, b] : [b, a]
      const best = subnets
        .map((cidr, item) => ({ cidr, item }))
        .filter(({ cidr }) => cidrHolds(cidr, first) && cidrHolds(cidr, last))
        .sort((x, y) => y.cidr.prefix - x.cidr.prefix || x.item - y.item)[0]
      expect(index.holding(first, last)).toBe(best?.item as number)
      if (best) expect(cidrContains(best.cidr, toCidr(first, family === 4 ? 32 : 128))).toBe(true)
    }
  }
})

test('an address of the other family is in no subnet', () => {
  const index = new SubnetIndex<string>()
  index.add(toCidr({ family: 4, value: 0n }, 0), 'all')
  expect(index.holding({ family: 6, value: 1n })).toBeUndefined()
})
