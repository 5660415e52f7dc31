import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../contract/errors.ts'
import { CutAnswer, repeatIfCut } from './repeat.ts'

const fail = async (error: unknown, signal?: AbortSignal): Promise<number> => {
  let sent = 0
  const send = async () => {
    sent++
    throw error
  }
  expect(repeatIfCut(send, signal)).rejects.toBe(error)
  await Bun.sleep(0)
  return sent
}
const withCode = (code: string) => Object.assign(new TypeError(code), { code })
const unavailable = (cause: unknown) => new AppError('UNAVAILABLE', "Can't reach the server", { cause })

describe('a request is sent', () => {
  test.each([
    ['a reset connection', withCode('ECONNRESET')],
    ['a reset connection, as the client reports it', unavailable(withCode('ECONNRESET'))],
    ['a broken pipe', unavailable(withCode('EPIPE'))],
    ['an answer without its end', unavailable(new CutAnswer())],
  ])('twice after %s', async (_, error) => {
    expect(await fail(error)).toBe(2)
  })

  test.each([
    ['a refused connection', unavailable(withCode('ECONNREFUSED'))],
    ['an error of the server', new AppError('UNAVAILABLE', 'The database has no primary at the moment')],
    ['a refusal', new AppError('VALIDATION_ERROR', 'name: is required')],
    ['a timeout', unavailable(new DOMException('The operation timed out.', 'TimeoutError'))],
  ])('once after %s', async (_, error) => {
    expect(await fail(error)).toBe(1)
  })

  test('once if its user has ended it', async () => {
    expect(await fail(withCode('ECONNRESET'), AbortSignal.abort())).toBe(1)
  })
})

test('the second answer counts', async () => {
  const answers = [() => Promise.reject(withCode('ECONNRESET')), async () => 'done']
  expect(await repeatIfCut(async () => answers.shift()?.())).toBe('done')
})
