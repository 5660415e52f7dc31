/** The Helm chart, as Helm renders it, against the schemas of Kubernetes. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { goTool } from '../../scripts/go-tools.mjs'
import { kubernetesValidatePath } from '../../scripts/python-tools.mjs'
import { type Ended, mustRun, ROOT, run, tempFolder } from '../trial.ts'

setDefaultTimeout(120_000)
const HELM = goTool('helm')
const CHART = join(ROOT, 'packaging/helm/plat')
const EXAMPLE = join(CHART, 'examples/postgres.yaml')
const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' }

const helm = (...args: string[]): Promise<Ended> => run([HELM, ...args], { env })
const rendering = (...args: string[]) =>
  helm('template', 'plat', CHART, '--namespace', 'plat', '--kube-version', '1.34.0', ...args)
const rendered = (...args: string[]): Promise<string> =>
  mustRun([HELM, 'template', 'plat', CHART, '--namespace', 'plat', '--kube-version', '1.34.0', ...args], { env })
const set = (...pairs: string[]): string[] => pairs.flatMap((pair) => ['--set', pair])

type Manifest = { kind: string; metadata: { name: string; annotations?: object }; spec: Record<string, never> }
const kindsOf = (text: string): Manifest[] => parseAllDocuments(text).map((one) => one.toJS() as Manifest)
const ofKind = (text: string, kind: string): Manifest | undefined => kindsOf(text).find((one) => one.kind === kind)

/** Checks each manifest against the schema of a version of Kubernetes. */
const validate = async (text: string): Promise<void> => {
  const folder = tempFolder()
  const file = join(folder.path, 'manifests.yaml')
  writeFileSync(file, text)
  for (const version of ['1.27', '1.34']) await mustRun([kubernetesValidatePath, '--strict', '-k', version, file])
  folder.remove()
}

// Skipped by name, because Helm is built with Go, which a machine need not have.
describe.skipIf(!existsSync(HELM))('the chart', () => {
  test('passes the linter', async () => {
    const { code, out, err } = await helm('lint', '--strict', CHART, '--values', EXAMPLE)
    expect([code, out + err]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  test('renders golden/kubernetes.yaml', async () => {
    // To write it again: helm template plat packaging/helm/plat --namespace plat --kube-version 1.34.0 --values packaging/helm/plat/examples/postgres.yaml
    expect(await rendered('--values', EXAMPLE)).toBe(readFileSync(join(ROOT, 'golden/kubernetes.yaml'), 'utf8'))
  })

  test('with PostgreSQL is valid for Kubernetes', async () => validate(await rendered('--values', EXAMPLE)))

  test('with everything is valid for Kubernetes', async () => {
    const more = set(
      ...[
        'valkey.existingSecret=valkey',
        'podAnnotations.note=a',
        'networkPolicy.from[0].podSelector.matchLabels.app=a',
      ],
      'networkPolicy.egress[0].to[0].ipBlock.cidr=192.0.2.0/24',
    )
    const text = await rendered('--values', EXAMPLE, ...more)
    await validate(text)
    expect(text).toContain('/run/secrets/valkey/url')
    expect(ofKind(text, 'NetworkPolicy')?.spec).toMatchObject({
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'a' } } }] }],
    })
  })

  test('without PostgreSQL has one instance, a volume that is kept, and no budget', async () => {
    const text = await rendered(...set('replicas=1', 'persistence.storageClass=fast', 'persistence.size=20Gi'))
    await validate(text)
    expect(ofKind(text, 'Deployment')?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    expect(ofKind(text, 'PersistentVolumeClaim')).toMatchObject({
      metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } },
      spec: { storageClassName: 'fast', resources: { requests: { storage: '20Gi' } } },
    })
    expect(ofKind(text, 'PodDisruptionBudget')).toBeUndefined()
  })

  test('an Ingress has the annotations of the values, as text', async () => {
    const name = 'nginx.ingress.kubernetes.io/proxy-body-size'
    const text = await rendered(
      '--values',
      EXAMPLE,
      '--set-string',
      `ingress.annotations.${name.replaceAll('.', '\\.')}=512m`,
    )
    await validate(text)
    expect(ofKind(text, 'Ingress')?.metadata.annotations).toEqual({ [name]: '512m' })
  })

  test('a setting of the user replaces that of the chart', async () => {
    const text = await rendered('--values', EXAMPLE, ...set('env.SHUTDOWN_DELAY=20s'))
    expect(text.match(/name: SHUTDOWN_DELAY\n +value: "(.*)"/)?.[1]).toBe('20s')
    expect(text.match(/SHUTDOWN_DELAY/g)).toHaveLength(1)
  })

  test.each([
    ['two instances on SQLite', [], 'replicas must be 1 without database.existingSecret'],
    ['an unknown value', set('replicas=1', 'replicaCount=2'), 'replicaCount'],
    ['an unknown value in a group', set('replicas=1', 'ingress.hosts=a'), 'hosts'],
    ['no instance', set('replicas=0'), 'replicas'],
    ['a size without a unit', set('replicas=1', 'persistence.size=10'), 'persistence'],
    ['an ingress without a host', set('replicas=1', 'ingress.enabled=true'), 'host'],
    ['a setting in lower case', set('replicas=1', 'env.log_level=debug'), 'log_level'],
  ])('refuses %s by name', async (_, args, message) => {
    const { code, err } = await rendering(...args)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  })
})
