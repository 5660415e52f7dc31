/** The parts of nodes, services and ingresses of a Kubernetes cluster that become rows. */
import { z } from 'zod'

const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
const Meta = z.object({ name: z.string(), namespace: z.string().optional() })
/** The addresses of a load balancer, in services and in ingresses. */
const LoadBalancer = z
  .object({
    loadBalancer: z
      .object({ ingress: z.array(z.object({ ip: z.string().optional(), hostname: z.string().optional() })).nullish() })
      .nullish(),
  })
  .nullish()

export const Version = z.object({ gitVersion: z.string(), platform: z.string().optional() })

const ROLE = 'node-role.kubernetes.io/'

export const Node = z.object({
  // The labels of a role have no value.
  metadata: Meta.extend({
    labels: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((labels) =>
        Object.fromEntries(Object.keys(labels ?? {}).flatMap((key) => (key.startsWith(ROLE) ? [[key, '']] : []))),
      ),
  }),
  status: z.object({
    addresses: z.array(z.object({ type: z.string(), address: z.string() })).nullish(),
    capacity: z.object({ cpu: Text, memory: Text }).nullish(),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
    nodeInfo: z
      .object({
        osImage: Text,
        kernelVersion: Text,
        kubeletVersion: Text,
        architecture: Text,
        containerRuntimeVersion: Text,
      })
      .nullish(),
  }),
})
export type Node = z.output<typeof Node>

export const Service = z.object({
  metadata: Meta,
  spec: z.object({
    type: Text,
    externalIPs: z.array(z.string()).nullish(),
    ports: z.array(z.object({ port: z.number(), protocol: z.string().optional() })).nullish(),
  }),
  status: LoadBalancer,
})
export type Service = z.output<typeof Service>

export const Ingress = z.object({
  metadata: Meta,
  spec: z
    .object({
      rules: z.array(z.object({ host: z.string().optional() })).nullish(),
      tls: z.array(z.object({ hosts: z.array(z.string()).nullish() })).nullish(),
    })
    .nullish(),
  status: LoadBalancer,
})
export type Ingress = z.output<typeof Ingress>

export const listRoles = ({ metadata }: Node): string[] =>
  Object.keys(metadata.labels)
    .map((label) => label.slice(ROLE.length))
    .sort()

export const KubernetesSnapshot = z.object({
  version: Version,
  nodes: z.array(Node),
  services: z.array(Service),
  ingresses: z.array(Ingress),
})
