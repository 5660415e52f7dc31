/** Real processes. Templates that never end have limits that are far below the usual ones. */
import { describe, expect, test } from 'bun:test'
import { readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAll } from '../../testing/cases.ts'
import { AppError } from '../contract/errors.ts'
import { createTemplates, MOST_WAITING } from './process.ts'
import type { Send, Write } from './protocol.ts'
import { isTemplateChild, templateChildren } from './testing/children.ts'

const templates = createTemplates()
const nothing: Write = async () => {}
const owner = { group: 'ann', key: 'ann core' }

const text = async (template: string, write: Write = nothing): Promise<string> =>
  new TextDecoder().decode(await templates.render({ owner, template, write }))

/** Returns the error of a promise that must fail. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Returns the message of the field `template`. */
const refusal = async (promise: Promise<unknown>): Promise<string | undefined> => {
  const error = await errorOf(promise)
  if (!(error instanceof AppError)) throw error
  expect([error.code, error.details.map(({ field }) => field)]).toEqual(['VALIDATION_ERROR', ['template']])
  return error.details[0]?.message
}

const ENDLESS =
  '{% for i in (1..10000) %}{% for j in (1..10000) %}{% for k in (1..10000) %}{% endfor %}{% endfor %}\n{% endfor %}'
/** One expression that filters inside of filters: the engine looks at the clock only between tags. */
const ENDLESS_FILTER = `{% assign r = (1..10000) %}
{% assign inner = 'r | where_exp: "x", "false" | size' %}
{% assign middle = 'r | where_exp: "y", inner | size' %}
{{ r | where_exp: "z", middle | size }}`

describe('a rendering', () => {
  test('gives the text over the documents that are sent', async () => {
    const write: Write = async (send) => {
      send('feed', { id: 'core' })
      send('datacenter', { id: 'dc', name: 'Zürich' })
      send('network', '{"id":"net","subnet":"10.0.0.0/24"}')
      send('device', { name: 'a', datacenter: 'dc', main: 0, addresses: [{ ip: '10.0.0.1', network: 'net' }] })
      send('device', { name: 'b\n"c"', datacenter: 'dc', addresses: [] })
    }
    const template =
      '{{ feed.id }}: {% for d in devices %}{{ d.name }} {{ d.main.ip }} {{ d.main.network.subnet }} {{ d.datacenter.name }};{% endfor %}'
    expect(await text(template, write)).toBe('core: a 10.0.0.1 10.0.0.0/24 Zürich;b\n"c"   Zürich;')
  })

  test('of nothing is empty', async () => {
    expect(await text('')).toBe('')
  })

  test('takes more data than a pipe holds', async () => {
    const write: Write = async (send) => {
      for (let i = 0; i < 20_000; i++) await send('device', { name: `d${i}`, notes: 'x'.repeat(100) })
    }
    expect(await text('{{ devices.size }} {{ devices.last.name }}', write)).toBe('20000 d19999')
  })

  test('takes a document that is larger than a pipe', async () => {
    expect(await text('{{ feed.a.size }}', async (send) => send('feed', { a: 'ä'.repeat(3_000_000) }))).toBe('3000000')
  })

  test('gives text up to the limit', async () => {
    const write: Write = async (send) => send('feed', { kib: 'x'.repeat(1024) })
    const bytes = await templates.render({
      owner,
      template: '{% for i in (1..16384) %}{{ feed.kib }}{% endfor %}',
      write,
    })
    expect([bytes.byteLength, bytes.every((byte) => byte === 120)]).toEqual([16 * 2 ** 20, true])
  })

  test('over the limit is refused, with the line', async () => {
    const write: Write = async (send) => send('feed', { kib: 'x'.repeat(1024) })
    const running = templates.render({
      owner,
      template: '{% for i in (1..16385) %}\n{{ feed.kib }}{% endfor %}',
      write,
    })
    expect(await refusal(running)).toBe('line 2: gives more than 16 MiB of text')
  })

  test('of a template with a fault is refused, with the line', async () => {
    expect(await refusal(templates.render({ owner, template: 'a\n{% nope %}', write: nothing }))).toBe(
      'line 2: tag "nope" not found',
    )
  })

  test('fails as a whole after the first lines of text', async () => {
    const template = '{% for i in (1..1000) %}{{ i }}\n{% endfor %}{{ "x" | netmask }}'
    expect(await refusal(templates.render({ owner, template, write: nothing }))).toMatch(/^line 2: netmask: /)
  })

  test('of a template with a fault does not take all data', async () => {
    let sent = 0
    const write: Write = async (send) => {
      for (; sent < 100_000; sent++) await send('device', { notes: 'x'.repeat(1000) })
    }
    expect(await refusal(templates.render({ owner, template: '{{ a | nope }}', write }))).toBe(
      'line 1: undefined filter: nope',
    )
    expect(sent).toBeLessThan(100_000)
  })

  test('fails with the error of the data', async () => {
    const write: Write = async () => {
      throw new Error('database closed')
    }
    expect(await errorOf(templates.render({ owner, template: 'a', write }))).toEqual(new Error('database closed'))
    expect(templateChildren()).toEqual([])
  })

  test('has neither the environment nor the folder of the server', async () => {
    let seen: readonly string[] = []
    await text('', async () => {
      seen = templateChildren().flatMap((pid) => [
        readFileSync(`/proc/${pid}/environ`, 'latin1'),
        readlinkSync(`/proc/${pid}/cwd`),
      ])
    })
    expect(seen).toEqual(['', '/'])
  })

  test('leaves no process', async () => {
    await text('a')
    expect(templateChildren()).toEqual([])
  })
})

describe('a rendering is ended', () => {
  test('after its time', async () => {
    const { render } = createTemplates({ renderMs: 1000 })
    expect(await refusal(render({ owner, template: ENDLESS, write: nothing }))).toMatch(
      /^(line [12]: )?takes longer than 1 s$/,
    )
    expect(templateChildren()).toEqual([])
  })

  test('after its time also within one filter', async () => {
    const { render } = createTemplates({ renderMs: 1000 })
    expect(await refusal(render({ owner, template: ENDLESS_FILTER, write: nothing }))).toBe('takes longer than 1 s')
    expect(templateChildren()).toEqual([])
  })

  test('after its time while the data is sent', async () => {
    const { render } = createTemplates({ renderMs: 500 })
    const write: Write = async (send) => {
      for (;;) await send('device', { name: 'a' })
    }
    expect(await refusal(render({ owner, template: '', write }))).toBe('takes longer than 0.5 s')
  })

  test('when it needs too much memory', async () => {
    const { render } = createTemplates({ memoryBytes: 200 * 2 ** 20 })
    const template = '{% for i in (1..100000000) %}{% for j in (1..100000000) %}{% endfor %}{% endfor %}'
    expect(await refusal(render({ owner, template, write: nothing }))).toBe('needs more than 200 MiB of memory')
    expect(templateChildren()).toEqual([])
  })

  test('by the system, for which it may need too much memory', async () => {
    const write: Write = async () => {
      for (const pid of templateChildren()) process.kill(pid, 'SIGKILL')
    }
    expect(await refusal(templates.render({ owner, template: '', write }))).toBe(
      'its process was ended by SIGKILL: it may need too much memory',
    )
  })

  test('when its data is not awaited', async () => {
    const write: Write = async (send) => {
      for (let i = 0; i < 1000; i++) send('device', { notes: 'x'.repeat(100_000) })
    }
    expect(await refusal(templates.render({ owner, template: '{% nope %}', write }))).toBe(
      'line 1: tag "nope" not found',
    )
  })

  test('when its request is aborted before it starts', async () => {
    const signal = AbortSignal.abort(new Error('gone'))
    expect(await errorOf(templates.render({ owner, template: '', write: nothing, signal }))).toEqual(new Error('gone'))
  })

  test('when its request is aborted while the data is sent', async () => {
    const abort = new AbortController()
    const write = async (send: Send) => {
      abort.abort(new Error('gone'))
      for (;;) await send('device', { name: 'a' })
    }
    expect(await errorOf(templates.render({ owner, template: '', write, signal: abort.signal }))).toEqual(
      new Error('gone'),
    )
    expect(templateChildren()).toEqual([])
  })

  test('when its request is aborted while it renders', async () => {
    const signal = AbortSignal.timeout(500)
    const error = await errorOf(templates.render({ owner, template: ENDLESS_FILTER, write: nothing, signal }))
    expect(error).toBe(signal.reason)
    expect(templateChildren()).toEqual([])
  })
})

describe('of many renderings', () => {
  /** Starts a rendering that lasts until `finish`. */
  const occupy = ({ render } = createTemplates()) => {
    const { promise: hold, resolve: finish } = Promise.withResolvers<void>()
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const first = render({
      owner,
      template: 'first',
      write: () => {
        start()
        return hold
      },
    })
    return { first, started, finish, render }
  }

  testAll('one runs, 32 wait, and the next is refused until then', async () => {
    const { first, started, finish, render } = occupy()
    await started
    const order: number[] = []
    const others = Array.from({ length: MOST_WAITING }, async (_, i) => {
      const bytes = await render({ owner, template: `{{ ${i} }}`, write: nothing })
      order.push(i)
      return new TextDecoder().decode(bytes)
    })
    const before = Date.now()
    const error = await errorOf(render({ owner, template: '', write: nothing }))
    expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503 })
    expect(error instanceof AppError && error.retryAt && error.retryAt.getTime() > before).toBe(true)
    expect(templateChildren()).toHaveLength(1)
    finish()
    expect(new TextDecoder().decode(await first)).toBe('first')
    const numbers = Array.from({ length: MOST_WAITING }, (_, i) => i)
    expect(await Promise.all(others)).toEqual(numbers.map(String))
    expect(order).toEqual(numbers)
    expect(new TextDecoder().decode(await render({ owner, template: 'again', write: nothing }))).toBe('again')
  })

  test('one that is aborted waits no longer', async () => {
    const { first, started, finish, render } = occupy()
    await started
    const abort = new AbortController()
    const waiting = errorOf(render({ owner, template: '', write: nothing, signal: abort.signal }))
    abort.abort(new Error('gone'))
    expect(await waiting).toEqual(new Error('gone'))
    finish()
    await first
  })

  test('one that fails lets the next run', async () => {
    const { render } = createTemplates()
    const results = await Promise.allSettled(
      ['{% nope %}', 'next'].map((template) => render({ owner, template, write: nothing })),
    )
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  test('a check does not wait for them', async () => {
    const templates = createTemplates()
    const { first, started, finish } = occupy(templates)
    await started
    expect(await templates.check('{{ feed.id }}', { owner })).toBeUndefined()
    finish()
    await first
  })
})

describe('a check', () => {
  test.each([
    ['{% for d in devices %}{{ d.name | slug }}{% endfor %}', undefined],
    ['{{ "now" | date: "%Y" }}', undefined],
    ['\n{{ a | nope }}', { line: 2, message: 'undefined filter: nope' }],
    ['{% include "a" %}', { line: 1, message: 'the tag "include" is not available: a template is one text' }],
  ])('of %j', async (template, fault) => {
    expect(await templates.check(template, { owner })).toEqual(fault)
  })
})

test('the command is not for people', async () => {
  const main = join(import.meta.dirname, '..', 'main.ts')
  const child = Bun.spawn([process.execPath, main, 'template-child'], { stdin: 'ignore', stderr: 'pipe', env: {} })
  expect(await child.stderr.text()).toBe('plat: template-child is started by the server, not by hand\n')
  expect(await child.exited).toBe(2)
})

test.if(process.platform === 'linux')('a rendering ends with the server', async () => {
  const code = `
    const { createTemplates } = await import(${JSON.stringify(join(import.meta.dirname, 'process.ts'))})
    const { templateChildren } = await import(${JSON.stringify(join(import.meta.dirname, 'testing/children.ts'))})
    const template = ${JSON.stringify(ENDLESS_FILTER)}
    createTemplates().render({ owner: { group: 'a', key: 'b' }, template, write: async () => {
      console.log(templateChildren().join())
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500)
    } })`
  const server = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' })
  const pid = Number(await server.stdout.text())
  await server.exited
  expect(pid).toBeGreaterThan(0)
  while (isTemplateChild(pid)) await new Promise(setImmediate)
})

test.if(process.platform === 'linux')('a process ends at once if its server ended before it began', async () => {
  const limits = { renderMs: 60_000, memoryBytes: 2 ** 30, outputBytes: 2 ** 20 }
  const lines = [{ template: ENDLESS_FILTER, isCheck: false, limits }, { kind: 'end' }]
  const input = Bun.file(join(tmpdir(), `plat-orphan-${process.pid}`))
  await Bun.write(input, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const main = join(import.meta.dirname, '..', 'main.ts')
  // The shell ends before the child has started.
  const script = `"${process.execPath}" "${main}" template-child < "${input.name}" > /dev/null & echo $!`
  const pid = Number(await Bun.spawn(['sh', '-c', script], { stdout: 'pipe' }).stdout.text())
  expect(pid).toBeGreaterThan(0)
  while (isTemplateChild(pid)) await new Promise(setImmediate)
  await input.delete()
})
