/** The manifest that the Helm chart renders, as reviews see it, and its values. Helm itself is not needed. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { describeConfig } from '../../src/base/config/config.ts'
import { ROOT } from '../trial.ts'

const CHART = 'packaging/helm/plat'
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const { version }: { version: string } = JSON.parse(read('package.json'))

type Probe = { readonly httpGet: { readonly path: string; readonly port: string }; readonly periodSeconds: number }
type Container = {
  readonly image: string
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly securityContext: object
  readonly resources: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
type PodSpec = {
  readonly serviceAccountName: string
  readonly automountServiceAccountToken: boolean
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: readonly [Container]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly items: readonly { path: string }[] }
  }[]
}
type Manifest = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly replicas: number; readonly strategy: object; readonly template: { readonly spec: PodSpec } }
}

// Written by Helm.
const manifests = parseAllDocuments(read('golden/kubernetes.yaml')).map((one) => one.toJS() as Manifest)
const deployment = manifests.find(({ kind }) => kind === 'Deployment')
if (!deployment) throw new Error('the manifest has no Deployment')
const pod = deployment.spec.template.spec
const [container] = pod.containers

test('the chart and its program have the version of the product', () => {
  const chart: Record<string, unknown> = parse(read(`${CHART}/Chart.yaml`))
  expect([chart.version, chart.appVersion]).toEqual([version, version])
})

test('every value is in the schema, and no other', () => {
  const values: Record<string, object> = parse(read(`${CHART}/values.yaml`))
  const schema: { properties: Record<string, { properties?: object; $ref?: string }> } = JSON.parse(
    read(`${CHART}/values.schema.json`),
  )
  expect(Object.keys(schema.properties).filter((name) => name !== 'global')).toEqual(Object.keys(values))
  for (const [name, value] of Object.entries(values)) {
    const known = schema.properties[name]
    if (known?.properties) expect(Object.keys(known.properties)).toEqual(Object.keys(value))
  }
})

describe('the manifest', () => {
  test('has the objects of the design, and no secret', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      ...['Deployment', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'],
    ])
  })

  test('runs the image of this version', () => expect(container.image).toBe(`plat:${version}`))

  test('replaces one instance after the other', () =>
    expect([deployment.spec.replicas, deployment.spec.strategy]).toEqual([
      2,
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    ]))

  test('runs as a user without rights, on files that it cannot change', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('asks the health checks of the server, which stops within the time that it has', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ])
    expect(readinessProbe.periodSeconds).toBe(2)
    expect(pod.terminationGracePeriodSeconds).toBe(30)
  })

  test('limits the memory and not the processor', () =>
    expect(container.resources).toEqual({ requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '1Gi' } }))

  test('every setting in it is one, and secrets come as files that are mounted', () => {
    const known = new Set(describeConfig().flatMap(({ name, secret }) => [secret ? `${name}_FILE` : name]))
    expect(container.env.filter(({ name }) => !known.has(name))).toEqual([])
    const files = container.volumeMounts.flatMap(({ name, mountPath }) => {
      const items = pod.volumes.find((volume) => volume.name === name)?.secret?.items ?? []
      return items.map(({ path }) => `${mountPath}/${path}`)
    })
    const named = container.env.filter(({ name }) => name.endsWith('_FILE')).map(({ value }) => value)
    expect(files.sort()).toEqual(named.sort())
    expect(files).toHaveLength(2)
  })

  test('stops answering later than its readiness is seen', () =>
    expect(container.env).toContainEqual({ name: 'SHUTDOWN_DELAY', value: '5s' }))
})
