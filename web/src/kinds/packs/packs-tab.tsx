/** The packs with their kinds and fields. The buttons install, upgrade and uninstall them. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { usePermit } from '../../shell/me.ts'
import { PageBody } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Badge, Card, Tag } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import css from '../kinds.module.css'
import type { PackStep } from './pack-dialog.tsx'
import { type Pack, packsQuery } from './packs.ts'

const PackDialog = lazy(() => import('./pack-dialog.tsx').then((module) => ({ default: module.PackDialog })))

/** Returns the first permission that is missing. */
const useBlocked = (...verbs: readonly string[]): string | undefined => {
  const { blocked } = usePermit()
  return verbs
    .flatMap((verb) => [`kinds:${verb}`, `custom-fields:${verb}`])
    .map(blocked)
    .find((reason) => reason !== undefined)
}

/** Says why a pack cannot be taken away; undefined where it can, as far as is known here. */
const explainUse = ({ objects }: Pack): string | undefined =>
  objects > 0 ? `Its kinds have ${plural(objects, 'object')}: delete them first` : undefined

const ABBREVIATIONS: Readonly<Record<string, string>> = { as: 'AS', bgp: 'BGP', fhrp: 'FHRP', nat: 'NAT', vpns: 'VPNs' }

/** `provider-networks` -> `Provider networks` */
const toKindText = (id: string): string => {
  const text = id
    .split('-')
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type CardProps = { readonly pack: Pack; readonly onStep: (step: PackStep['kind']) => void }

const PackCard = ({ pack, onStep }: CardProps) => {
  const { title, description, version, installed, kinds, fields } = pack
  const noInstall = useBlocked('create', 'update')
  const noUninstall = useBlocked('delete')
  const isOld = installed !== null && installed < version
  return (
    <Card title={title} actions={installed !== null && <Badge tone="ok">Installed</Badge>}>
      <div className={css.pack}>
        <div>
          <p>{description}</p>
          <ul aria-label={`What ${title} brings`}>
            {kinds.map((id) => (
              <li key={id}>
                <Tag>{toKindText(id)}</Tag>
              </li>
            ))}
            <li className="muted">{plural(fields, 'field')}</li>
          </ul>
        </div>
        <div className={css.tools}>
          {installed === null && (
            <Button onClick={() => onStep('install')} blocked={noInstall} aria-label={`Install ${title}`}>
              Install
            </Button>
          )}
          {isOld && (
            <>
              <Button
                look="primary"
                onClick={() => onStep('upgrade')}
                blocked={noInstall}
                aria-label={`Upgrade ${title}`}
              >
                Upgrade
              </Button>
              <span className="muted">
                Version {version}; {installed} is installed
              </span>
            </>
          )}
          {installed !== null && (
            <Button
              onClick={() => onStep('uninstall')}
              blocked={noUninstall ?? explainUse(pack)}
              aria-label={`Uninstall ${title}`}
            >
              Uninstall
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

const NONE: readonly Pack[] = []

/** The cards of packs, and the dialogs of their buttons. */
const PackCards = ({ packs }: { readonly packs: readonly Pack[] }) => {
  const [step, setStep] = useState<PackStep>()
  return (
    <>
      <div className={css.packs}>
        {packs.map((pack) => (
          <PackCard key={pack.name} pack={pack} onStep={(kind) => setStep({ kind, pack })} />
        ))}
      </div>
      <Suspense>{step && <PackDialog step={step} onClose={() => setStep(undefined)} />}</Suspense>
    </>
  )
}

/** The packs below the explanation of kinds, before there is one. Nothing is said where they cannot be read. */
export const FirstPacks = () => {
  const { data = NONE } = useQuery(packsQuery)
  return data.length === 0 ? null : (
    <section aria-labelledby="install-a-pack">
      <h2 id="install-a-pack" className={css.heading}>
        Install a pack
      </h2>
      <PackCards packs={data} />
    </section>
  )
}

export const PacksTab = () => {
  const { data, error, refetch } = useQuery(packsQuery)
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} noun="page" />
  if (!data) return <PageLoading />
  return (
    <PageBody>
      <PackCards packs={data} />
    </PageBody>
  )
}
