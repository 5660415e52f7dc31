import { expect, test } from 'bun:test'
import { toSlug } from './slug.ts'

test.each([
  ['Rack 7 / Süd--East ', '_', 'rack_7_s_d_east'],
  ['__a__', '_', 'a'],
  ['web-1.example.net', '-', 'web-1-example-net'],
  ['---', '-', ''],
  ['', '_', ''],
] as const)('the slug of %p with %p is %p', (text, separator, expected) =>
  expect(toSlug(text, separator)).toBe(expected),
)
