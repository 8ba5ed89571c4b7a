"""Sentences in which people say a secret, and sentences that only speak of one. `{}` stands for the secret.

The rules were tuned on the other sentences, not on `HELD_OUT` and `HELD_OUT_HARMLESS`. One author wrote all of them,
and the rules had a first draft by then, so the held-out figures say little about how other people speak.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Language = Literal["en", "de", "fr", "es", "pt", "it", "ja"]


class Phrasing(NamedTuple):
    language: Language
    kind: Literal["password", "key"]  # of the value that is put in
    text: str


def _phrasings(language: Language, kind: Literal["password", "key"], *texts: str) -> list[Phrasing]:
    return [Phrasing(language, kind, text) for text in texts]


PHRASINGS = [
    *_phrasings(
        "en", "password",
        "the db password is {}",
        "The password for the staging database is {}.",
        "my wifi password is still {}, by the way",
        "The router's password has been changed to {}",
        "please set the admin password to {} tonight",
        "{} is the password of the printer",
        "use {} as the password for the demo account",
        "log in as root with password {}",
        "The password we use for the NAS is {}.",
        "username is bob and password is {}",
        "Password (staging): {}",
        "the passphrase for the backup disk is `{}`",
    ),
    *_phrasings(
        "en", "key",
        "my api key for testing is {}",
        "the API key I got from the vendor is {}",
        "Our access token is {}, keep it safe",
        "The client secret for the calendar app is {}",
        "use {} as the api key",
        "here is the deploy key: {}",
    ),
    *_phrasings(
        "de", "password",
        "Das Passwort lautet {}",
        "das Passwort für den Router ist {}",
        "Das WLAN-Passwort ist jetzt {}.",
        "Kennwort vom Drucker ist {}",
        "mit {} als Passwort anmelden",
        "{} ist das Passwort",
        "das Passwort wurde auf {} geändert",
    ),
    *_phrasings(
        "de", "key",
        "Der API-Schlüssel lautet {}",
        "Unser API-Key zum Testen ist {}",
        "der Token für die Schnittstelle ist {}",
    ),
    *_phrasings(
        "fr", "password",
        "Le mot de passe est {}",
        "le mot de passe du serveur est {}",
        "{} est le mot de passe du wifi",
        "le mot de passe pour la base est maintenant « {} »",
        "utilise {} comme mot de passe",
    ),
    *_phrasings(
        "fr", "key",
        "La clé API est {}",
        "ma clé d'API pour les tests est {}",
        "le jeton d'accès est {}",
    ),
    *_phrasings(
        "es", "password",
        "La contraseña es {}",
        "la contraseña del wifi es {}",
        "La contraseña de la base de datos ahora es {}",
        "usa {} como contraseña",
        "{} es la contraseña del servidor",
        "la clave del router es {}",
    ),
    *_phrasings(
        "es", "key",
        "Mi clave de API es {}",
        "el token para las pruebas es {}",
    ),
    *_phrasings(
        "pt", "password",
        "A senha é {}",
        "a senha do banco é {}",
        "use {} como senha",
        "a senha do wifi agora é {}",
    ),
    *_phrasings("pt", "key", "A chave de API é {}", "minha chave da API para testes é {}"),
    *_phrasings("it", "password", "La password è {}", "la password del router è {}", "{} è la password del wifi"),
    *_phrasings("it", "key", "La chiave API è {}"),
    *_phrasings("ja", "password", "パスワードは{}です", "データベースのパスワードは {} です。"),
    *_phrasings("ja", "password", "Wi-Fiのパスワードは「{}」"),
    *_phrasings("ja", "key", "APIキーは{}です", "テスト用のトークンは {} です"),
]  # fmt: skip

HELD_OUT = [
    *_phrasings(
        "en", "password",
        "btw the password to the shared mailbox is {}",
        "I reset the grafana password to {} this morning",
        "The safe's passcode is {} until Friday",
        "ssh into the box with user deploy, password {}",
    ),
    *_phrasings(
        "en", "key",
        "the test api key that Anna sent me is {}",
        "Our license key is {}",
        "auth token for the webhook is {}",
    ),
    *_phrasings("de", "password", "Mein Passwort für das Intranet lautet {}", "Das neue Kennwort ist {}."),
    *_phrasings("de", "key", "Der Zugangsschlüssel für die Cloud lautet {}"),
    *_phrasings("fr", "password", "Le nouveau mot de passe de la boîte mail est {}", "mon mot de passe reste {}"),
    *_phrasings("fr", "key", "la clé secrète du service est {}"),
    *_phrasings("es", "password", "la nueva contraseña para el correo es {}", "mi contraseña sigue siendo {}"),
    *_phrasings("es", "key", "el token de acceso es {}"),
    *_phrasings("pt", "password", "a nova senha do servidor é {}"),
    *_phrasings("it", "password", "la nuova password per il server è {}"),
    *_phrasings("ja", "password", "新しいパスワードは {} に変更しました"),
    *_phrasings("ja", "key", "本番のAPIキーは {} です"),
]  # fmt: skip

HARMLESS = [
    "the password is stored in the keychain",
    "The password is kept in 1Password, the token in the vault.",
    "send me the password reset link",
    "a password reset takes 2 minutes",
    "das Passwort ist im Schlüsselbund",
    "Das Passwort ist 12-stellig und läuft am 3. Mai ab.",
    "le mot de passe est obligatoire",
    "le mot de passe est dans le coffre",
    "la contraseña es obligatoria",
    "la contraseña está en el gestor 1Password",
    "a senha é obrigatória",
    "la password è scaduta il 12 marzo",
    "パスワードは必須です",
    "パスワードは8文字以上です",
    "password: <your password>",
    "password: your-password-here-123",
    "the password is required and has 8-16 characters",
    "the password is base64-encoded and hashed with argon2id",
    "my password manager is 1Password7 on the Mac",
    "the password policy is ISO27001",
    "The password for the demo is in the README of demo2",
    "The API key is in the environment variable STRIPE_API_KEY_2",
    "set the api key to STRIPE_API_KEY_2",
    "the api key is read from config.api_key2",
    "the token is passed to handler2 in auth.py",
    "the token limit for gpt-4-32k is 32768",
    "a token is about 4 characters, so 128k tokens is 512KB",
    "The token budget is 3000 and the token count was 2048",
    "the secret to good tea is 80degrees water",
    "the secret of success is 10,000 hours",
    "the key result for Q3FY24 is growth",
    "The keyboard is a Keychron K2V2",
    "the master key signature is F#minor7",
    "commit 3fa85f64a1b2c3d4e5f60718293a4b5c6d7e8f90 fixed the password form",
    "the token migration is in commit 3fa85f64a1b2c3d4e5f60718293a4b5c6d7e8f90",
    "session 550e8400-e29b-41d4-a716-446655440000 asked for the password",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 of the release",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)",
    "the password field is called input#password2",
    "passwords are rotated every 90days",
    "export API_KEY=$STRIPE_API_KEY2",
    "the password was changed on 2026-03-05T10:30:00Z",
    "The password hint is the name of my 1st pet",
    "use OAuth2 as the auth method instead of a password",
    "version 2.1.0-rc1 is the secret weapon",
    "the passport number is checked in step2",
    "v1.2.3-beta4 as the token parser",
    "La clave es practicar 3 horas al día",
    "la clé du succès est la patience",
    "der Schlüssel liegt unter der Matte",
    "see RFC7519 for the token format",
    "the api key for each tenant is created by create_key2(tenant)",
]

HELD_OUT_HARMLESS = [
    "the password is on the sticky note in room B12",
    "Das Kennwort ist abgelaufen, bitte bis 17Uhr erneuern",
    "le jeton d'accès est renouvelé toutes les 24h",
    "el token es válido por 30días",
    "o token expira em 15min",
    "il token è valido per 24ore",
    "トークンは24時間で失効します",
    "the client secret is managed by terraform in module iam2",
    "the access token is a JWT signed with RS256",
    "our license key is tied to the machine id",
    "Password rules: min. 12 chars, 1 digit, 1 symbol",
    "API key rotation is planned for 2026Q2",
    "the passphrase is asked for by gpg2",
    "password auth is off in sshd_config2",
    "the secret is mounted at /run/secrets/db2",
    "my favourite password joke is xkcd936",
]
