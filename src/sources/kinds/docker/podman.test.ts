/** A real Podman, by its socket and by TCP: its engine and its containers become rows. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeAll } from '../../../../testing/cases.ts'
import { freePort, launch, type Running } from '../../../../testing/servers/servers.ts'
import { createSourceReader } from '../../fetch/process.ts'

const START_MS = 120_000
const IMAGE = 'localhost/empty:1'

const getFlags = (dir: string): string[] => [
  ...['--root', join(dir, 'root'), '--runroot', join(dir, 'run'), '--storage-driver', 'vfs'],
  ...['--cgroup-manager', 'cgroupfs', '--events-backend', 'none'],
]

describeAll('a real Podman', () => {
  let podman: Running
  let tcp: Running
  let port: number

  const run = (...args: readonly string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(['podman', ...getFlags(podman.dir), ...args])
    if (exitCode !== 0) throw new Error(`podman ${args[0]}: ${stderr}`)
  }

  beforeAll(async () => {
    podman = await launch({
      serve: (dir) => ['podman', ...getFlags(dir), 'system', 'service', '--time=0', `unix:${join(dir, 'podman.sock')}`],
      isReady: (dir) => existsSync(join(dir, 'podman.sock')),
      stopSignal: 'KILL',
      isOwn: true,
    })
    const { dir } = podman
    mkdirSync(join(dir, 'files'))
    writeFileSync(join(dir, 'files', 'program'), '')
    Bun.spawnSync(['tar', '-C', join(dir, 'files'), '-cf', join(dir, 'image.tar'), '.'])
    run('import', join(dir, 'image.tar'), IMAGE)
    run(
      'create',
      '--name',
      'shop-web',
      '--label',
      'com.docker.compose.project=shop',
      '-p',
      '127.0.0.1:18080:80',
      IMAGE,
      '/program',
    )
    run('create', '--name', 'batch', '-e', 'PASSWORD=a-secret-of-a-container', IMAGE, '/program', 'a-secret-argument')
    port = await freePort()
    const shared = getFlags(dir)
    tcp = await launch({
      serve: () => ['podman', ...shared, 'system', 'service', '--time=0', `tcp:127.0.0.1:${port}`],
      isReady: () => Bun.spawnSync(['curl', '-sf', '-o', '/dev/null', `http://127.0.0.1:${port}/_ping`]).exitCode === 0,
      stopSignal: 'KILL',
      isOwn: true,
    })
  }, START_MS)
  afterAll(async () => {
    await tcp?.stop()
    await podman?.stop()
  })

  const read = (url: string, target: string) =>
    createSourceReader(podman.dir).read(
      {
        ...{ do: 'fetch', kind: 'docker', options: {}, ref: 'docker', nowMs: 0, secrets: {}, timeoutMs: START_MS },
        target: { url, allowPrivate: false, targets: [target], tlsCa: '', tlsFingerprint: '' },
      },
      { signal: new AbortController().signal },
    )

  test.each([
    ['by its socket', () => `unix:${join(podman.dir, 'podman.sock')}`, (url: string) => url],
    ['by TCP', () => `http://127.0.0.1:${port}`, () => '127.0.0.1'],
  ])(
    'gives its engine and containers %s, and no environment or command line',
    async (_, getUrl, getTarget) => {
      const url = getUrl()
      const outcome = await read(url, getTarget(url))
      if (!outcome.isDone) throw new Error(outcome.error.message)
      if (outcome.isSame) throw new Error('the rows were not converted')
      expect(outcome.product).toMatch(/^Podman \d/)
      const devices = (outcome.documents.devices ?? []).map(({ refs, status, tags }) => ({ refs, status, tags }))
      expect(devices.slice(1).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
        { refs: { docker: 'container/batch' }, status: 'maintenance', tags: ['container'] },
        { refs: { docker: 'container/shop-web' }, status: 'maintenance', tags: ['container', 'project:shop'] },
      ])
      expect(devices[0]?.refs).toEqual({ docker: 'engine' })
      expect(outcome.about['devices container/shop-web']?.facts).toMatchObject({ image: IMAGE, ports: '18080->80/tcp' })
      expect(JSON.stringify(outcome)).not.toContain('a-secret')
    },
    START_MS,
  )
})
