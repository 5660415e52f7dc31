/** Shows the servers of the database and the instances of Plat that use it. */
import { hostname } from 'node:os'
import { type Feature, implement } from '../../kernel/ctx.ts'
import { database } from './api.ts'

type Deps = { readonly version: string }

const describeThisInstance = (version: string) => ({
  name: `${hostname()}:${process.pid}`,
  version,
  address: '',
  since: new Date(performance.timeOrigin).toISOString(),
  isThis: true,
})

export const databaseFeature = ({ version }: Deps): Feature => ({
  operations: implement(database, {
    status: async ({ store }) => {
      const status = await store.status()
      const hosts = store.hosts()
      const answers = store.readHosts.answers()
      const isShared = store.engine === 'postgres'
      return {
        engine: store.engine,
        version: status.version,
        size_bytes: status.sizeBytes,
        primary: (isShared && hosts.find(({ role }) => role === 'primary')?.host) || '',
        timeline: status.timeline,
        reads: store.readHosts.mode,
        commits_wait: status.commitsWait,
        hosts: hosts.map(({ host, role, lagBytes, lagMs, message }) => ({
          host,
          role,
          lag_bytes: lagBytes,
          lag_ms: lagMs,
          answers: answers.get(host) ?? 0,
          message: message || store.readHosts.getMessage(host),
        })),
        instances: (status.instances ?? [describeThisInstance(version)]).map(({ isThis, ...instance }) => ({
          ...instance,
          is_this: isThis,
        })),
      }
    },
  }),
})
