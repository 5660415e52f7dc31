/** Below the form of a provider: the addresses to register there, and a test of the saved settings. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Badge, CopyText, Facts } from '../../ui/primitives.tsx'
import { ssoProvidersQuery } from '../queries.ts'
import css from './providers.module.css'

const Tested = ({ test }: { readonly test: ReturnType<typeof useTest> }) => {
  const { data, error } = test
  if (!data && !error) return null
  return (
    <div role="status" className={css.tested}>
      <Badge tone={data ? 'ok' : 'bad'}>{data ? 'answers' : 'failed'}</Badge>
      {data
        ? `Names itself ${data.issuer}, with ${plural(data.keys, 'key')}. ${
            data.backchannel_logout_supported ? 'Ends sessions here as well.' : 'Does not end sessions here by itself.'
          }`
        : toAppError(error).message}
    </div>
  )
}

const useTest = (id: string) => useMutation({ mutationFn: () => api.ssoProviders.test({ id }) })

export const ProviderBelow = ({ id }: { readonly id: string }) => {
  const { blocked } = usePermit()
  const { data } = useQuery(ssoProvidersQuery)
  const test = useTest(id)
  const provider = data?.find((one) => one.id === id)
  if (!provider) return null
  const { redirect_uri, backchannel_logout_uri } = provider
  return (
    <section className={css.below} aria-label="At the provider">
      <p className="muted">Register these addresses at the provider:</p>
      <Facts
        facts={[
          ['Redirect URI', <CopyText key="redirect" text={redirect_uri} label="Redirect URI" />],
          [
            'Back-channel logout URI',
            <CopyText key="logout" text={backchannel_logout_uri} label="Back-channel logout URI" />,
          ],
        ]}
      />
      <span className={css.tested}>
        <Button onClick={() => test.mutate()} disabled={test.isPending} blocked={blocked('sso-providers:read')}>
          {test.isPending ? 'Waiting …' : 'Test'}
        </Button>
        <span className="muted">Reads the discovery document and the keys, with the saved settings.</span>
      </span>
      <Tested test={test} />
    </section>
  )
}
