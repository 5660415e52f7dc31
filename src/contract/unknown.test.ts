import { describe, expect, test } from 'bun:test'
import { AppError } from './errors.ts'
import {
  getErrorCode,
  getErrorMessage,
  getTextErrorCode,
  isObject,
  isRecord,
  toOptionalText,
  toText,
  toTextOrNull,
} from './unknown.ts'

describe('isRecord and isObject', () => {
  test.each([
    ['an object', {}, true, true],
    ['an object without a prototype', Object.create(null), true, true],
    ['an error', new Error('x'), true, true],
    ['a list', [], false, true],
    ['null', null, false, false],
    ['undefined', undefined, false, false],
    ['a text', 'x', false, false],
    ['a number', 1, false, false],
    ['a function', () => undefined, false, false],
  ])('tell %s apart', (_, value: unknown, record, object) => {
    expect([isRecord(value), isObject(value)]).toEqual([record, object])
  })
})

describe('the readers of texts', () => {
  test.each(['', 'web', ' a '])('return the text "%s" as it is', (text) => {
    expect([toText(text), toOptionalText(text), toTextOrNull(text)]).toEqual([text, text, text])
  })

  test.each([[null], [undefined], [0], [false], [{}], [['a']]])('return nothing for the value %p', (value: unknown) => {
    expect([toText(value), toOptionalText(value), toTextOrNull(value)]).toEqual(['', undefined, null])
  })
})

describe('the readers of errors', () => {
  const withCode = (code: unknown): Error => Object.assign(new Error('lost'), { code })

  test.each([
    ['an error', new Error('lost'), 'lost', '', ''],
    ['an error of the system', withCode('ENOENT'), 'lost', 'ENOENT', 'ENOENT'],
    ['an error with a number as its code', withCode(7), 'lost', '7', ''],
    ['an error without a value of its code', withCode(undefined), 'lost', 'undefined', ''],
    ['an error of the API', new AppError('NOT_FOUND', 'No device'), 'No device', 'NOT_FOUND', 'NOT_FOUND'],
    ['a text', 'lost', 'lost', '', ''],
    ['an object with a code', { code: 'ENOENT' }, '[object Object]', '', ''],
    ['null', null, 'null', '', ''],
  ])('read %s', (_, error: unknown, message, code, text) => {
    expect([getErrorMessage(error), getErrorCode(error), getTextErrorCode(error)]).toEqual([message, code, text])
  })
})
