// The tree of subnets, and free blocks in it, compared with enumeration of every pair and of every address.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import { type Cidr, cidrContains, toCidr, toCidrKeys } from './cidr.ts'
import { createObstacleFinder, findAlignedBlocks, listFreeBlocks } from './free-blocks.ts'
import { DEFAULT_SPACE, type Family, type SpaceKey } from './ip.ts'
import { mergeSpans, type Span } from './span.ts'
import { buildSubnetTree, type TreeBlock } from './subnet-tree.ts'

const RUNS = { numRuns: countCases(300) }

/** Blocks of few addresses, so that equal and nested ones are frequent. */
const START: Record<Family, bigint> = { 4: 0x0a000000n, 6: 0x20010db8n << 96n }
const BITS = { 4: 32, 6: 128 } as const
const SMALL = 64n

const aBlock = (family: Family) =>
  fc
    .tuple(fc.bigInt(0n, SMALL - 1n), fc.integer({ min: BITS[family] - 7, max: BITS[family] }))
    .map(([offset, prefix]) => toCidr({ family, value: START[family] + offset }, prefix))
const aCidr = fc.oneof(aBlock(4), aBlock(6))

type Known = TreeBlock & { readonly cidr: Cidr; readonly space: SpaceKey }

const someNetworks = fc
  .array(
    fc.record({
      cidr: aCidr,
      space: fc.constantFrom<SpaceKey>(DEFAULT_SPACE, 's0001'),
      datacenter_id: fc.constantFrom(null, 'a', 'b'),
      id: fc.uuid(),
    }),
    { maxLength: 24 },
  )
  .map((all): Known[] =>
    all.map(({ cidr, space, datacenter_id, id }) => {
      const { first, last } = toCidrKeys(cidr, space)
      return { id, datacenter_id, prefix: cidr.prefix, first_key: first, last_key: last, cidr, space }
    }),
  )

const sorted = (all: readonly Known[]): Known[] =>
  all.toSorted((a, b) => (a.first_key < b.first_key ? -1 : a.first_key > b.first_key ? 1 : a.prefix - b.prefix))

const contains = (outer: Known, inner: Known): boolean =>
  outer.space === inner.space && outer.prefix < inner.prefix && cidrContains(outer.cidr, inner.cidr)

/** The parent by the rule, found by comparing with all. */
const parentOf = (all: readonly Known[], one: Known): Known | undefined => {
  const outer = all.filter((other) => contains(other, one))
  const prefix = Math.max(...outer.map((other) => other.prefix))
  const nearest = outer.filter((other) => other.prefix === prefix).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return nearest.find((other) => other.datacenter_id === one.datacenter_id) ?? nearest[0]
}

const depthOf = (all: readonly Known[], one: Known): number =>
  new Set(all.filter((other) => contains(other, one)).map(({ first_key, prefix }) => `${first_key}/${prefix}`)).size

const values = ({ first, last }: Span): bigint[] =>
  Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i))

const isCovered = (spans: readonly Span[], value: bigint): boolean =>
  spans.some(({ first, last }) => first <= value && value <= last)

describe('the tree of subnets', () => {
  test('has the parent, depth, children and covered addresses that comparing all pairs finds', () => {
    fc.assert(
      fc.property(someNetworks, (all) => {
        const tree = buildSubnetTree(sorted(all))
        expect(tree.size).toBe(all.length)
        for (const one of all) {
          const node = tree.get(one.id)
          const children = all.filter((other) => parentOf(all, other) === one)
          expect(node?.parent?.block.id).toBe(parentOf(all, one)?.id)
          expect(node?.depth).toBe(depthOf(all, one))
          expect(node?.children).toBe(children.length)
          expect(node?.covered).toBe(new Set(children.flatMap(({ cidr }) => values(cidr))).size)
        }
      }),
      RUNS,
    )
  })

  test('is in the order of its blocks, and keeps equal subnets beside each other', () => {
    fc.assert(
      fc.property(someNetworks, (all) => {
        const order = sorted(all)
        const tree = buildSubnetTree(order)
        expect([...tree.keys()]).toEqual(order.map(({ id }) => id))
        for (const { group, block } of tree.values())
          expect(group.members.map((member) => member.block.id).toSorted()).toEqual(
            all
              .filter(({ first_key, prefix }) => first_key === block.first_key && prefix === block.prefix)
              .map(({ id }) => id)
              .toSorted(),
          )
      }),
      RUNS,
    )
  })
})

/** A block of at most 64 addresses, and spans in it. */
const aSpace = fc.constantFrom<Family>(4, 6).chain((family) =>
  fc
    .tuple(
      fc.integer({ min: BITS[family] - 6, max: BITS[family] }),
      fc.array(fc.tuple(fc.bigInt(0n, SMALL - 1n), fc.bigInt(0n, SMALL - 1n)), { maxLength: 8 }),
    )
    .map(([prefix, ends]) => {
      const outer = toCidr({ family, value: START[family] }, prefix)
      const within = (offset: bigint) => outer.first + (offset % (outer.last - outer.first + 1n))
      const spans = ends.map(([a, b]): Span => {
        const [from, to] = [within(a), within(b)]
        return from <= to ? { first: from, last: to } : { first: to, last: from }
      })
      return { outer, spans, bits: BITS[family] }
    }),
)

describe('the free blocks', () => {
  test('hold exactly the addresses outside of all spans, and are the fewest', () => {
    fc.assert(
      fc.property(aSpace, ({ outer, spans, bits }) => {
        const order = spans.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))
        const free = [...listFreeBlocks(outer, order)]
        expect(free.flatMap(values)).toEqual(values(outer).filter((value) => !isCovered(spans, value)))
        for (const { family, prefix, first, last } of free) {
          expect(toCidr({ family, value: first }, prefix)).toEqual({ family, prefix, first, last })
          if (prefix === bits - 6) continue
          // No two of them are halves of one block.
          const twice = toCidr({ family, value: first }, prefix - 1)
          expect(free.filter((other) => other.prefix === prefix && cidrContains(twice, other))).toHaveLength(1)
        }
      }),
      RUNS,
    )
  })

  test('the free blocks of a length equal an enumeration of every aligned block, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        aSpace,
        fc.nat(6),
        fc.integer({ min: 1, max: 4 }),
        async ({ outer, spans, bits }, longer, page) => {
          const prefix = Math.min(bits, outer.prefix + longer)
          const merged = mergeSpans(spans)
          let read = 0
          const obstacleIn = createObstacleFinder(async () => {
            const next = merged.slice(read, read + page)
            read += next.length
            return { spans: next, areAll: read === merged.length }
          })
          const found: bigint[] = []
          for await (const { first } of findAlignedBlocks(outer, prefix, obstacleIn)) found.push(first)
          const size = 1n << BigInt(bits - prefix)
          const expected = values(outer).filter(
            (first) =>
              (first - outer.first) % size === 0n &&
              values({ first, last: first + size - 1n }).every((value) => !isCovered(spans, value)),
          )
          expect(found).toEqual(expected)
        },
      ),
      RUNS,
    )
  })

  test('are yielded on demand, however large the space', async () => {
    const all6 = toCidr({ family: 6, value: 0n }, 0)
    const [first] = listFreeBlocks(all6, [{ first: 1n, last: 1n }])
    expect(first).toEqual({ family: 6, prefix: 128, first: 0n, last: 0n })
    const blocks = findAlignedBlocks(all6, 128, ({ first: value, last }) =>
      value < 5n ? { first: value, last } : undefined,
    )
    expect((await blocks.next()).value).toMatchObject({ first: 5n, last: 5n })
  })
})
