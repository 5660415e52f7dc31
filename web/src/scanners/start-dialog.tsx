/** Shows the commands that start a scanner, with its token, and waits until it is online. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CodeBlock } from '../connect/code-block.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { formatMoment } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Badge } from '../ui/primitives.tsx'
import { isLoopback, listSteps, parseUrl, WAYS, type Way } from './commands.ts'
import { type Scanner, scannerQuery } from './queries.ts'
import css from './scanners.module.css'

export type Enrolment = {
  readonly scanner: Pick<Scanner, 'id' | 'name' | 'enrolled_at'>
  readonly token: string
  readonly expiresAt: string
}

/** Users without the live feed see it online as well. */
const WAIT_MS = 2000

/** Returns the scanner once it has redeemed this token. One that is enrolled again may be online by its former credential. */
const useStarted = ({ id, enrolled_at }: Enrolment['scanner']): Scanner | undefined => {
  const isStarted = (one: Scanner): boolean => one.status === 'online' && one.enrolled_at !== enrolled_at
  const { data } = useQuery({
    ...scannerQuery(id),
    refetchInterval: ({ state }) => (state.data && isStarted(state.data.value) ? false : WAIT_MS),
  })
  return data && isStarted(data.value) ? data.value : undefined
}

const State = ({ name, started }: { readonly name: string; readonly started: Scanner | undefined }) => (
  <p role="status" className={css.waiting} data-started={started !== undefined || undefined}>
    {started ? (
      <>
        <Badge tone="ok">online</Badge>
        <span>
          <b>{name}</b> is online: {started.hostname}, Plat {started.version}.
        </span>
      </>
    ) : (
      <>
        <span className={css.pulse} aria-hidden="true" />
        <span>Waiting for {name}. It is shown here a moment after its start.</span>
      </>
    )}
  </p>
)

type Props = Enrolment & { readonly onClose: () => void }

export const StartDialog = ({ scanner, token, expiresAt, onClose }: Props) => {
  const navigate = useNavigate()
  const [way, setWay] = useState<Way>('shell')
  const [address, setAddress] = useState(location.origin)
  const started = useStarted(scanner)
  const { id, name } = scanner
  const url = parseUrl(address)
  return (
    <Dialog title={`Start ${name}`} onClose={onClose} isWide>
      <div className={css.start}>
        <TextField
          label="Address of this server"
          hint={
            isLoopback(url ?? '')
              ? 'Only this machine reaches this address. Type the one that the other machine reaches.'
              : 'As the machine of the scanner reaches it. It opens all connections; nothing connects to it.'
          }
          value={address}
          onChange={setAddress}
          error={url === undefined ? 'is no address like https://plat.example.com' : undefined}
          isMono
        />
        <fieldset className={css.ways}>
          <legend className="sr">How it is started</legend>
          {WAYS.map(([one, text]) => (
            <button key={one} type="button" aria-pressed={one === way} onClick={() => setWay(one)}>
              {text}
            </button>
          ))}
        </fieldset>
        <ol className={css.steps}>
          {listSteps({ url: url ?? location.origin, token, way }).map(({ text, code, label }) => (
            <li key={text}>
              <p>{text}</p>
              <CodeBlock code={code} label={label} />
            </li>
          ))}
        </ol>
        <p className="muted">
          The token works once, until {formatMoment(expiresAt)}. It is shown only now; the page of the scanner makes
          another one.
        </p>
        <State name={name} started={started} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{started ? 'Close' : 'Later'}</Button>
        {started && (
          <Button
            look="primary"
            onClick={() => {
              onClose()
              void navigate({ to: '/scanners/$id', params: { id } })
            }}
          >
            Choose its networks
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
