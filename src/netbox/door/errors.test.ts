// Errors in NetBox's form.
import { describe, expect, test } from 'bun:test'
import {
  AppError,
  type ErrorCode,
  invalid,
  invalidField,
  nameTaken,
  notFound,
  toAppError,
} from '../../contract/errors.ts'
import { runItem } from './body.ts'
import { createDetail, createTooFewError, describeError, refuseField, refuseFields } from './errors.ts'

const DENIED = 'You do not have permission to perform this action.'

test.each<[ErrorCode, number, string]>([
  ['UNAUTHORIZED', 403, 'Invalid token'],
  ['LEGACY_API_KEY_UNSUPPORTED', 403, 'Invalid token'],
  ['EXPIRED_KEY', 403, 'Token expired'],
  ['FORBIDDEN', 403, `${DENIED} text`],
  ['NOT_FOUND', 404, 'Not found.'],
  ['METHOD_NOT_ALLOWED', 405, 'text'],
  ['IN_USE', 409, 'text'],
  ['ALREADY_EXISTS', 409, 'text'],
  ['INVALID_JSON', 400, 'JSON parse error - text'],
  ['INVALID_INPUT', 400, 'text'],
  ['MISDIRECTED_REQUEST', 421, 'text'],
  ['RATE_LIMIT_EXCEEDED', 429, 'text'],
  ['UNAVAILABLE', 503, 'text'],
])('%s is %p with one text', (code, status, detail) => {
  expect(describeError(new AppError(code, 'text'))).toEqual({ status, body: { detail } })
})

test.each([408, 413])('a body that is refused with %p keeps its status', (status) => {
  const error = new AppError('INVALID_INPUT', 'text', { status })
  expect(describeError(error)).toEqual({ status, body: { detail: 'text' } })
})

test('an error of the server tells nothing of its cause', () => {
  const { status, body } = describeError(toAppError(new Error('secret')))
  expect([status, JSON.stringify(body).includes('secret')]).toEqual([500, false])
})

describe('an error about fields', () => {
  test('has the messages of each field', () => {
    const error = invalid([
      { field: 'name', message: 'is required' },
      { field: 'addresses[0].ip', message: 'is no address' },
      { field: 'addresses[1].ip', message: 'is taken' },
    ])
    const body = { name: ['is required'], addresses: ['is no address', 'is taken'] }
    expect(describeError(error)).toEqual({ status: 400, body })
  })

  test('is a 400 for a name that is taken', () => {
    expect(describeError(nameTaken('site', 'x'))).toMatchObject({ status: 400, body: { name: [expect.any(String)] } })
  })

  test('may have the names of NetBox from the start', () => {
    expect(describeError(refuseField('status', 'No.'))).toEqual({ status: 400, body: { status: ['No.'] } })
    const all = refuseFields({ a: ['x', 'y'], b: ['z'] })
    expect([describeError(all).body, all.message]).toEqual([{ a: ['x', 'y'], b: ['z'] }, 'a: x; a: y; b: z'])
  })

  test('about a field named as a property of all objects is about that field', () => {
    const error = invalidField('constructor', 'is no field')
    expect(describeError(error).body).toEqual({ constructor: ['is no field'] })
  })
})

test('an error with a text of NetBox keeps it', () => {
  const detail = 'No Prefix matches the given query.'
  expect(describeError(createDetail('NOT_FOUND', detail))).toEqual({ status: 404, body: { detail } })
  expect(describeError(createTooFewError()).status).toBe(409)
})

describe('the error of an item', () => {
  const names = { subnet: 'prefix', datacenter_id: 'scope_id' }
  const throwIn = async (isList: boolean, thrown: unknown) => {
    const body = { isList, items: [{}, {}, {}] }
    const failing = runItem({ index: 1, body, names }, async () => {
      throw thrown
    })
    const error: unknown = await failing.catch((caught: unknown) => caught)
    return error instanceof AppError ? describeError(error) : error
  }

  test('has the names of NetBox', async () => {
    const { body } = (await throwIn(false, invalidField('subnet', 'is no subnet'))) as { body: unknown }
    expect(body).toEqual({ prefix: ['is no subnet'] })
  })

  test('stands in a list at the place of the item', async () => {
    const error = invalid([
      { field: 'datacenter_id', message: 'is unknown' },
      { field: 'other', message: 'is wrong' },
    ])
    const body = [{}, { scope_id: ['is unknown'], other: ['is wrong'] }, {}]
    expect(await throwIn(true, error)).toEqual({ status: 400, body })
    expect(await throwIn(true, refuseField('vrf', 'No.'))).toEqual({ status: 400, body: [{}, { vrf: ['No.'] }, {}] })
  })

  test.each([
    ['a missing object', notFound('network', 'x'), 404],
    ['a missing permission', new AppError('FORBIDDEN', 'text'), 403],
    ['an object in use', new AppError('IN_USE', 'text'), 409],
  ])('about no fields stays as it is: %s', async (_, thrown, status) => {
    expect(await throwIn(true, thrown)).toEqual(describeError(thrown))
    expect(describeError(thrown).status).toBe(status)
  })

  test('that is no error of Plat passes on', async () => {
    const fault = new Error('fault')
    expect(await throwIn(true, fault)).toBe(fault)
  })
})
