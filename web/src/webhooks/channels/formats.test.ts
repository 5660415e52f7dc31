/** The services of the UI beside the formats of the server, whose contract the browser does not load. */
import { expect, test } from 'bun:test'
import * as server from '../../../../src/record/notifications/fields.ts'
import { FORMATS, hasSecretUrl } from './formats.ts'

test('each format has a tile, and the UI knows which URLs are secrets', () => {
  expect(FORMATS.toSorted()).toEqual(server.FORMATS.toSorted())
  for (const format of server.FORMATS)
    expect([format, hasSecretUrl(format)]).toEqual([format, server.hasSecretUrl(format)])
})
