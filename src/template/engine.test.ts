/** Templates are pure text over the given documents: no files, no clock, no chance, nothing of JavaScript. */
import { describe, expect, test } from 'bun:test'
import { type Documents, evaluate, renderText } from './testing/render-text.ts'

const SITE: Documents = [
  ['feed', { id: 'core', name: 'Core' }],
  ['datacenter', { id: 'dc', name: 'Berlin' }],
  ['network', { id: 'net', name: 'Servers', subnet: '10.0.0.0/24' }],
  [
    'device',
    {
      id: 'd1',
      name: 'web-1',
      datacenter: 'dc',
      main: 1,
      addresses: [
        { ip: '10.9.0.1', names: [], network: null },
        { ip: '10.0.0.1', names: ['web-1.example.com', 'www.example.com'], network: 'net' },
      ],
    },
  ],
  ['device', { id: 'd2', name: 'web-2', datacenter: { name: 'Paris' }, main: null, addresses: [] }],
]

describe('a template has', () => {
  test.each([
    ['the feed', '{{ feed.id }} {{ feed.name }}', 'core Core'],
    ['the devices in their order', '{% for d in devices %}{{ d.name }} {% endfor %}', 'web-1 web-2 '],
    ['the networks', '{{ networks | map: "subnet" | join }}', '10.0.0.0/24'],
    ['the datacenters', '{{ datacenters.first.name }}', 'Berlin'],
    ['the main address of a device', '{{ devices[0].main.ip }}', '10.0.0.1'],
    ['the names of an address', '{{ devices[0].main.names | join: " " }}', 'web-1.example.com www.example.com'],
    ['the network of an address', '{{ devices[0].main.network.name }}', 'Servers'],
    ['the datacenter of a device by its id', '{{ devices[0].datacenter.name }}', 'Berlin'],
    ['the datacenter of a device as it was sent', '{{ devices[1].datacenter.name }}', 'Paris'],
    ['nothing where there is no main address', '[{{ devices[1].main.ip }}]', '[]'],
  ])('%s', (_, template, text) => {
    expect(renderText(template, SITE)).toBe(text)
  })

  test('no network that was not sent', () => {
    const device = { addresses: [{ ip: '10.0.0.1', network: 'unknown' }] }
    expect(renderText('[{{ devices[0].addresses[0].network }}]', [['device', device]])).toBe('[]')
  })
})

describe('a fault has its line', () => {
  test.each([
    ['a tag that is not closed', 'a\n{% if feed %}\nb', 2, 'tag {% if feed %} not closed'],
    ['an output that is not closed', 'a\n\n{{ feed', 3, 'output "{{ feed" not closed'],
    ['an unknown tag', '\n{% nope %}', 2, 'tag "nope" not found'],
    ['an unknown filter', 'a\n{{ feed | nope }}', 2, 'undefined filter: nope'],
    [
      'an unknown filter in a tag of lines',
      'a\n{% liquid\nassign a = 1\necho a | nope\n%}',
      4,
      'undefined filter: nope',
    ],
    ['an error of a filter', 'a\nb\n{{ "x" | netmask }}', 3, 'netmask: "x" is no network such as 10.0.0.0/24'],
    ['an error in a loop', '{% for i in (1..2) %}\n{{ "x" | mac }}\n{% endfor %}', 2, 'mac: "x" is no MAC address'],
  ])('%s', (_, template, line, message) => {
    expect(renderText(template)).toEqual({ line, message })
  })

  test('a loop that takes too long', () => {
    const template = '\n{% for i in (1..10000) %}\n{% for j in (1..10000) %}{{ j }}{% endfor %}{% endfor %}'
    expect(renderText(template, [], { renderMs: 100, outputBytes: 2 ** 40 })).toMatchObject({
      line: expect.any(Number),
      message: 'takes longer than 0.1 s',
    })
  })

  test('a long fault is cut', () => {
    const fault = renderText(`{% ${'x'.repeat(5000)} %}`)
    expect(typeof fault === 'object' && fault.message.length).toBe(300)
  })

  test('a template that is nested too deeply is a fault', () => {
    expect(renderText('{%if a%}'.repeat(8000))).toMatchObject({ line: 1, message: expect.any(String) })
  })
})

test.each(['include', 'render', 'layout', 'block'])('the tag %s is refused', (tag) => {
  expect(renderText(`\n{% ${tag} "/etc/hostname" %}`)).toEqual({
    line: 2,
    message: `the tag "${tag}" is not available: a template is one text`,
  })
})

describe('the clock', () => {
  const filters = ['date: "%Y"', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string']
  test.each(filters.flatMap((filter) => ['now', 'today'].map((word) => [word, filter])))(
    '%s | %s is refused',
    (word, filter) => {
      expect(evaluate(`feed.value | ${filter}`, word)).toEqual({
        line: 1,
        message: `the date of "${word}" would change with every request`,
      })
    },
  )

  test('a date of the data is in UTC', () => {
    expect(evaluate('feed.value | date: "%Y-%m-%d %H:%M %z"', '2026-03-01T23:30:00Z')).toBe('2026-03-01 23:30 +0000')
  })
})

test('the filter that chooses at random is unknown', () => {
  expect(evaluate('"abc" | sample')).toEqual({ line: 1, message: 'undefined filter: sample' })
})

describe('nothing of JavaScript is reached by', () => {
  test.each([
    '{{ feed.constructor }}',
    '{{ feed.__proto__ }}',
    '{{ feed["constructor"]["constructor"] }}',
    '{{ constructor }}{{ __proto__ }}{{ hasOwnProperty }}',
    '{{ devices.constructor.name }}',
    '{{ feed.name.constructor }}{{ feed.name.__proto__ }}{{ feed.name.toString }}',
    '{{ devices | map: "constructor" }}{{ devices | map: "__proto__" }}',
    '{{ devices | where: "constructor" | map: "name" }}',
    '{{ devices | where_exp: "d", "d.constructor" | map: "name" }}',
    '{% assign a = "constructor" %}{{ feed[a] }}',
    '{% assign __proto__ = feed %}{{ id }}',
    '{{ process }}{{ globalThis }}{{ Bun }}{{ this }}',
    '{{ devices.push }}{{ devices.first.valueOf }}',
    '{{ forloop.constructor }}',
  ])('%s', (template) => {
    expect(renderText(template, SITE)).toBe('')
  })

  test('grouping by a name of the prototype', () => {
    expect(
      renderText('{% for g in devices | group_by: "constructor" %}[{{ g.name }}]{% endfor %}', SITE),
    ).not.toContain('function')
  })

  test('a document with such names gives only its own values', () => {
    const value: unknown = JSON.parse('{"__proto__": {"evil": "yes"}, "constructor": "own"}')
    expect(renderText('{{ feed.evil }}{{ feed.constructor }}', [['feed', value]])).toBe('own')
  })
})

describe('the text', () => {
  test('of values is that of Liquid', () => {
    expect(evaluate('feed.value', [1, null, 'a', [true]])).toBe('1atrue')
  })

  test('keeps a surrogate pair that is printed by halves', () => {
    const template = `${'x'.repeat(65_535)}{{ feed.value[0] }}{{ feed.value[1] }}${'y'.repeat(70_000)}`
    const text = renderText(template, [['feed', { value: '😀'.split('') }]])
    expect(text).toBe(`${'x'.repeat(65_535)}😀${'y'.repeat(70_000)}`)
  })

  test('over the limit is a fault, with the line', () => {
    const limits = { outputBytes: 100_000 }
    expect(renderText('\n\n{% for i in (1..50000) %}{{ "ü" }}{% endfor %}', [], limits)).toEqual({
      line: 3,
      message: 'gives more than 0.1 MiB of text',
    })
  })

  test('at the limit is whole', () => {
    expect(renderText('{{ feed.value }}', [['feed', { value: 'ü'.repeat(500) }]], { outputBytes: 1000 })).toHaveLength(
      500,
    )
  })
})
