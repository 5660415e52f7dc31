# Plat in a container that holds nothing else: docker build -t plat .
FROM node:22.20.0-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
RUN node scripts/build-binary.mjs && sh packaging/image-root.sh dist/bin/plat /image

FROM scratch
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Plat" \
      org.opencontainers.image.description="The land registry of a network" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /image/ /
# A volume that is made of an empty folder takes its owner over.
COPY --from=build --chown=65532:65532 /image/data /data
ENV DATA_DIR=/data \
    LISTEN_ADDR=:8080 \
    LOG_FORMAT=json \
    BUN_JSC_useFTLJIT=false
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --start-interval=1s --retries=3 \
  CMD ["/usr/bin/plat", "healthcheck"]
ENTRYPOINT ["/usr/bin/plat"]
CMD ["serve"]
