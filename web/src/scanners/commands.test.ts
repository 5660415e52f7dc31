import { describe, expect, test } from 'bun:test'
import { isLoopback, listSteps, parseUrl, WAYS } from './commands.ts'

const TOKEN = 'plat_en_abc'

describe('an address of the server', () => {
  test.each([
    ['https://plat.example.com', 'https://plat.example.com'],
    ['  https://plat.example.com:8443/ ', 'https://plat.example.com:8443'],
    ['http://[2001:db8::1]:8080', 'http://[2001:db8::1]:8080'],
    ['https://example.com/plat/', 'https://example.com/plat'],
  ])('"%s" is read', (text, url) => expect(parseUrl(text)).toBe(url))

  test.each([
    '',
    'plat.example.com',
    'ftp://plat',
    'https://',
    'https://a b',
    'https://a$(reboot)',
    'https://a"; reboot',
    'https://a/`x`',
  ])('"%s" is none', (text) => expect(parseUrl(text)).toBeUndefined())

  test.each([
    ['http://127.0.0.1:8080', true],
    ['http://localhost:8080', true],
    ['http://[::1]:8080', true],
    ['http://10.0.0.1:8080', false],
    ['', false],
  ])('of this machine alone: %s is %p', (url, answer) => expect(isLoopback(url)).toBe(answer))
})

describe('the commands', () => {
  const write = (way: (typeof WAYS)[number][0], url: string): string =>
    listSteps({ url, token: TOKEN, way })
      .map(({ code }) => code)
      .join('\n')

  test.each(WAYS)('of %s have the address and the token', (way) => {
    expect(write(way, 'https://plat.example.com')).toContain('https://plat.example.com')
    expect(write(way, 'https://plat.example.com')).toContain(TOKEN)
  })

  test.each(WAYS)('of %s allow HTTP to another machine', (way) => {
    const allowed = /--allow-http|PLAT_SCANNER_ALLOW_HTTP=true/
    expect(write(way, 'http://10.0.0.1:8080')).toMatch(allowed)
    expect(write(way, 'http://127.0.0.1:8080')).not.toMatch(allowed)
    expect(write(way, 'https://10.0.0.1')).not.toMatch(allowed)
  })
})
