// The consent page shows the name of a client, so a name has no invisible characters and none that reverse the order of
// text.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../testing/app/app.ts'
import { oauthApp, REDIRECT } from '../../../testing/sign-in/oauth.ts'

let app: TestApp
beforeAll(async () => {
  app = await oauthApp()
})
afterAll(() => app.close())

const register = async (client_name: string) => {
  const response = await app.guest('POST', '/mcp-oauth/register', { redirect_uris: [REDIRECT], client_name })
  return [response.status, await response.json()] as const
}

describe.each([
  ['a right-to-left override', '\u202e'],
  ['a left-to-right mark', '\u200e'],
  ['an Arabic letter mark', '\u061c'],
  ['an isolate', '\u2068'],
  ['a zero-width space', '\u200b'],
  ['a zero-width non-joiner', '\u200c'],
  ['a zero-width joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a tag', '\u{e0041}'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
  ['an escape', '\u001b'],
])('a client is not registered with %s', (_, mark) => {
  test.each([
    ['before', `${mark}Claude`],
    ['within', `Cla${mark}ude`],
    ['behind', `Claude${mark}`],
  ])('%s its name', async (_, name) => {
    expect(await register(name)).toMatchObject([400, { error: 'invalid_client_metadata' }])
  })
})

test.each(['Claude', 'Клод', 'クロード', 'Outil “été” №1', ' Claude\n'])('(but %p is a name)', async (name) => {
  expect(await register(name)).toMatchObject([201, { client_name: name.trim() }])
})
