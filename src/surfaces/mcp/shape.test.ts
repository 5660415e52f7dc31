import { describe, expect, test } from 'bun:test'
import { JsonList, JsonText } from '../../kernel/handler-result.ts'
import { MAX_LIST_BYTES, MAX_OBJECT_BYTES, shape } from './shape.ts'

const options = { fields: undefined, mostRows: 100, offset: 0 }

/** A list of `total` rows that counts how many were read. */
const listOf = (total: number, row: (i: number) => unknown) => {
  const read = { rows: 0, isClosed: false }
  const list = new JsonList({
    revision: '1',
    total: async () => total,
    rows: async function* () {
      try {
        for (let i = 0; i < total; i += 10) {
          const chunk = Array.from({ length: Math.min(10, total - i) }, (_, j) => JSON.stringify(row(i + j)))
          read.rows += chunk.length
          yield chunk
        }
      } finally {
        read.isClosed = true
      }
    },
  })
  return { list, read }
}

describe('a list', () => {
  test('that fits is whole', async () => {
    const { list } = listOf(3, (i) => ({ i }))
    expect(await shape(list, options)).toEqual({ items: [{ i: 0 }, { i: 1 }, { i: 2 }], total: 3, truncated: false })
  })

  test('stops at the rows that were asked for, and reads no further', async () => {
    const { list, read } = listOf(1_000_000, (i) => ({ i }))
    const answer = await shape(list, { ...options, mostRows: 15, offset: 30 })
    expect(answer).toMatchObject({ total: 1_000_000, truncated: true, next_offset: 45 })
    expect(answer.items).toHaveLength(15)
    expect(read).toEqual({ rows: 20, isClosed: true })
  })

  test('never exceeds its bytes', async () => {
    const { list } = listOf(1000, () => ({ text: 'ü'.repeat(1000) }))
    const answer = await shape(list, { ...options, mostRows: 1000 })
    const bytes = Buffer.byteLength(JSON.stringify(answer.items))
    expect(bytes).toBeLessThanOrEqual(MAX_LIST_BYTES)
    expect(bytes).toBeGreaterThan(MAX_LIST_BYTES - 3000)
    expect(answer.truncated).toBe(true)
  })

  test('has its first row however large', async () => {
    const { list } = listOf(2, () => ({ text: 'x'.repeat(MAX_LIST_BYTES) }))
    expect((await shape(list, options)).items).toHaveLength(1)
  })

  test('has only the fields that were asked for', async () => {
    const { list } = listOf(1, () => ({ a: 1, b: 2 }))
    expect(await shape(list, { ...options, fields: ['b', 'absent'] })).toMatchObject({
      fields: ['b', 'absent'],
      items: [[2, null]],
    })
  })

  test('in an answer that is nothing else is a list', async () => {
    expect(await shape({ results: [{ a: 1 }] }, { ...options, listIn: 'results' })).toEqual({
      items: [{ a: 1 }],
      total: 1,
      truncated: false,
    })
  })

  test('that is an array works alike', async () => {
    expect(await shape([1, 2], options)).toEqual({ items: [1, 2], total: 2, truncated: false })
    expect(await shape([1, 2], { ...options, mostRows: 2 })).toEqual({ items: [1, 2], truncated: true, next_offset: 2 })
  })
})

describe('an object', () => {
  test('is as it is', async () => {
    expect(await shape({ a: 1 }, options)).toEqual({ a: 1 })
    expect(await shape(new JsonText('{"a":1}'), options)).toEqual({ a: 1 })
  })

  test('that is too large loses the end of its longest list, and says so', async () => {
    const answer = await shape({ id: 'x', ips: Array.from({ length: 100_000 }, () => '10.0.0.1') }, options)
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(MAX_OBJECT_BYTES)
    expect(answer.truncated).toEqual({ ips: expect.stringMatching(/^\d+ of 100000; don't write this list back$/) })
  })

  test('that is nothing is done', async () => expect(await shape(undefined, options)).toEqual({ done: true }))
})
