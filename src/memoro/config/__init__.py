"""Settings: every key with its default and limits, and the origin of each value."""

from memoro.config.forms import size_in_bytes as size_in_bytes
from memoro.config.keys import SettingKey as SettingKey
from memoro.config.keys import keys as keys
from memoro.config.locations import vault_files as vault_files
from memoro.config.reading import FILE_NAME as FILE_NAME
from memoro.config.reading import Setting as Setting
from memoro.config.reading import Source as Source
from memoro.config.reading import parse_file as parse_file
from memoro.config.reading import read_file as read_file
from memoro.config.reading import read_project_paths as read_project_paths
from memoro.config.reading import settle as settle
from memoro.config.settings import ContextSettings as ContextSettings
from memoro.config.settings import DeltaSettings as DeltaSettings
from memoro.config.settings import EmbeddingSettings as EmbeddingSettings
from memoro.config.settings import RecallSettings as RecallSettings
from memoro.config.settings import Settings as Settings
from memoro.config.vault_file import OBSIDIAN_FILE_NAME as OBSIDIAN_FILE_NAME
from memoro.config.vault_file import VAULT_FILE_NAME as VAULT_FILE_NAME
from memoro.config.vault_file import VAULT_MAY_SET as VAULT_MAY_SET
from memoro.config.vault_file import parse_obsidian as parse_obsidian
from memoro.config.vault_file import parse_vault_file as parse_vault_file
from memoro.config.vault_file import restricted as restricted
from memoro.model.vocabulary import DIMENSIONS as DIMENSIONS
