/** The parts of the answers of a Docker engine that are read. Environments, command lines and other labels are in no schema, so they are dropped. */
import { z } from 'zod'

/** The labels with the project: of Docker Compose, and of podman-compose. */
export const PROJECT_LABELS = ['com.docker.compose.project', 'io.podman.compose.project'] as const

const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
const Port = z.number().int().min(0).max(65_535)

export const Version = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
})

export const Info = z.object({
  Name: Text,
  OperatingSystem: Text,
  KernelVersion: Text,
  Architecture: Text,
  NCPU: z.number().nullish(),
  MemTotal: z.number().nullish(),
})

export const Containers = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()).nullish(),
    Image: Text,
    State: Text,
    Labels: z
      .object({ [PROJECT_LABELS[0]]: z.string().optional(), [PROJECT_LABELS[1]]: z.string().optional() })
      .nullish(),
    Ports: z
      .array(
        z.object({
          IP: z.string().optional(),
          PrivatePort: Port,
          PublicPort: Port.optional(),
          Type: z.string().optional(),
        }),
      )
      .nullish(),
    NetworkSettings: z
      .object({
        Networks: z
          .record(z.string(), z.object({ IPAddress: Text, GlobalIPv6Address: Text, MacAddress: Text }))
          .nullish(),
      })
      .nullish(),
  }),
)

export const Networks = z.array(z.object({ Name: z.string(), Driver: Text }))

export const DockerSnapshot = z.object({ version: Version, info: Info, containers: Containers, networks: Networks })
export type DockerSnapshot = z.output<typeof DockerSnapshot>
