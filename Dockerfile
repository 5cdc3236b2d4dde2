# tests/test_dockerfile.py runs every step of this file in clean folders and environments.
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY engine ./engine
COPY machines ./machines
COPY adapters ./adapters
COPY migrations ./migrations
RUN pip wheel --no-deps --wheel-dir /dist .
RUN python -m venv /opt/warmlog
RUN /opt/warmlog/bin/pip install "$(echo /dist/*.whl)[postgres]"
RUN mkdir -p /var/lib/warmlog

FROM python:3.11-slim
ENV PATH=/opt/warmlog/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
COPY --from=build /opt/warmlog /opt/warmlog
COPY --from=build --chown=65532:65532 /var/lib/warmlog /var/lib/warmlog
WORKDIR /var/lib/warmlog
VOLUME /var/lib/warmlog
USER 65532:65532
ENTRYPOINT ["warmlog"]
CMD ["run"]
