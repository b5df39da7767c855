# oddsfleet. `make` alone lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
COMPOSE := scripts/compose.sh
PYTHON := .venv/bin/python
NOT_REAL := SUPABASE_URL= SUPABASE_KEY= SUPABASE_DB_URL= PROXY_LIST= HEARTBEAT_URL=
OPERATOR := $(COMPOSE) run --rm --no-deps operator
need_s = @[ -n "$(S)" ] || { echo "Which one? For example: make $@ S=superbet"; exit 2; }
need_scraper = @$(COMPOSE) needs fleet && $(COMPOSE) unit $(S) >/dev/null

##@ Run
demo: engine ## All of it with simulated bookmakers: needs no internet, no account, no settings
	@$(COMPOSE) mode demo parallel
	@[ -f secrets/supabase_key ] || scripts/secrets.sh # so that plain `docker compose up` works as well
	@SECRETS_DIR=secrets/demo ENV_FILE=/dev/null $(NOT_REAL) BET365_FEED_KEY=simulated \
	    DISCORD_WEBHOOK_URL=http://simulator:9000/discord/api/webhooks/1/demo scripts/secrets.sh
	@scripts/images.sh
	@scripts/up.sh
	@echo; echo "Look:  http://127.0.0.1:8080"; echo "Next: make status · make logs S=superbet · make once S=superbet · make down"

up: engine ## The fleet, on the real bookmakers (settings: .env, see .env.example); again, to take up new code and settings
	@$(COMPOSE) mode real
	@scripts/secrets.sh
	@scripts/images.sh
	@scripts/up.sh
	@echo; echo "Look:  http://127.0.0.1:8080"; echo "Next: make status · make logs S=superbet · make down"

sequential: engine ## Switch to two processes that take all scrapers in turn: for a small machine
	@$(COMPOSE) mode sequential
	@scripts/ready.sh
	@scripts/up.sh
	@echo; echo "Next: make status · make parallel switches back"

parallel: engine ## Switch back to one container per bookmaker
	@$(COMPOSE) mode parallel
	@scripts/ready.sh
	@scripts/up.sh
	@echo; echo "Next: make status · make sequential switches to the small machine's mode"

down: ## Stop everything; data stays
	@scripts/down.sh

clean: ## Remove all containers, volumes and images of oddsfleet (asks first)
	@scripts/clean.sh

##@ Look
status: ## Every scraper: status, age of its data, odds per cycle
	@$(COMPOSE) needs database && $(OPERATOR) store status

logs: ## Follow the log of a scraper or a service: make logs S=superbet
	$(need_s)
	@scripts/logs.sh $(S)

top: ## Memory and processor of every container, live
	@scripts/top.sh

doctor: engine ## Does this machine fit the fleet, and in which mode?
	@scripts/ready.sh
	@scripts/doctor.sh

once: engine ## One cycle of a scraper as a table, written nowhere: make once S=superbet (RECORD=1 keeps the answers as a test)
	$(need_s)
	@RECORD=$(RECORD) scripts/once.sh $(S)

review: ## Names that were not surely matched: accept or refuse
	@$(COMPOSE) needs database && $(OPERATOR) scrapers names review

list: ## Every bookmaker in the catalog
	@$(OPERATOR) scrapers list

##@ Change
restart: ## Restart a scraper after its cycle in hand: make restart S=superbet
	$(need_s)
	$(need_scraper)
	@$(OPERATOR) watchdog restart $(S)

reload: engine ## Rebuild a scraper and replace it, the others untouched: make reload S=superbet
	$(need_s)
	@scripts/reload.sh $(S)

pause: ## Stop a scraper and keep it stopped: make pause S=superbet
	$(need_s)
	$(need_scraper)
	@$(OPERATOR) watchdog pause $(S)

resume: ## Start a paused scraper again: make resume S=superbet
	$(need_s)
	$(need_scraper)
	@$(COMPOSE) run --rm --no-deps watchdog watchdog resume $(S) # it asks Docker, through the watchdog's door

alert-test: ## Send a sample message to Discord
	@$(COMPOSE) run --rm --no-deps watchdog watchdog alert-test

migrate: engine ## Apply new migrations of sql/
	@scripts/ready.sh
	@scripts/images.sh supabase
	@$(COMPOSE) run --rm migrate

update: engine ## Rebuild all images on Debian's newest packages, and run them
	@scripts/engine.sh renew
	@FRESH=1 scripts/images.sh
	@scripts/up.sh
	@echo; echo "Next: make status · make logs S=superbet"

##@ Develop
test: venv ## Everything: lint, types, unit, contract and container tests
	@scripts/test.sh

test-fast: venv ## Lint, types and the tests that need no Docker
	@scripts/test.sh fast

bench: venv engine ## What must hold, measured: make bench, or some of it: make bench B="names memory" (B=list shows them)
	@[ "$(B)" = list ] || scripts/images.sh
	@$(PYTHON) -m bench $(B)

screenshots: venv ## Pictures of the running fleet's status page, into docs/images
	@$(PYTHON) -m tests.screenshots

lock: venv ## Renew requirements/*.txt from pyproject.toml
	@scripts/lock.sh

engine: # Docker Engine, Compose and the base image: found, or installed
	@scripts/engine.sh up

engine-stop: ## Stop the Docker Engine, if make started it
	@scripts/engine.sh stop

venv: # Python packages for tests, in .venv
	@scripts/venv.sh

help:
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo up sequential parallel down clean status logs top doctor once review list update restart reload pause resume alert-test migrate test test-fast bench screenshots lock engine engine-stop venv help
